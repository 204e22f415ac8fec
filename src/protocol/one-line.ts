/** Characters that turn the direction of the text after them, so that a name can look like another. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/** Returns a name or title as one line of what can be seen. */
export function oneLine(text: string): string {
  return text.replace(TURNS, "").replace(BREAKS, " ").trim().toWellFormed();
}
