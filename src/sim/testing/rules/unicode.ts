/** A lone surrogate as JSON escapes it. An even number of backslashes before it is text about an escape. */
const LONE =
  /(?<!\\)(?:\\\\)*(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})/;

/** Returns where a JSON text escapes half of a character, which no UTF-8 can hold; undefined if it does not. */
export function findLoneSurrogate(text: string): number | undefined {
  if (!text.includes("\\ud") && !text.includes("\\uD")) return text.isWellFormed() ? undefined : 0;
  const found = LONE.exec(text);
  return found?.index;
}
