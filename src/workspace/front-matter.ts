/** Longer front matter is not read. */
const MOST_CHARACTERS = 16_000;
const FENCE = /^---[ \t]*\n/;
const KEY = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$/;

export interface FrontMatter {
  /** The values at the top level, by key. Nested ones are left out. */
  values: Map<string, string>;
  body: string;
}

/**
 * Reads the front matter of a Markdown file leniently: one `key: value` on each line, quoted or not, folded or not. It is not YAML:
 * there are no anchors, tags or nested values that could grow.
 */
export function readFrontMatter(text: string): FrontMatter {
  const values = new Map<string, string>();
  const begin = FENCE.exec(text)?.[0].length;
  if (begin === undefined) return { values, body: text };
  const end = text.slice(begin, begin + MOST_CHARACTERS).search(/^---[ \t]*$/m);
  if (end === -1) return { values, body: text };
  const lines = text.slice(begin, begin + end).split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, key, first = ""] = KEY.exec(lines[at] ?? "") ?? [];
    if (key === undefined) continue;
    const more: string[] = [];
    while (/^[ \t]+\S|^[ \t]*$/.test(lines[at + 1] ?? "x")) more.push((lines[++at] ?? "").trim());
    // Of a key that is there twice, the first counts.
    if (!values.has(key)) values.set(key, readValue(first.trim(), more));
  }
  const rest = text.slice(begin + end);
  return { values, body: rest.slice(rest.indexOf("\n") + 1 || rest.length).trim() };
}

function readValue(first: string, more: readonly string[]): string {
  const block = /^([|>])[+-]?\d?\s*(?:#.*)?$/.exec(first)?.[1];
  if (block !== undefined) return more.join(block === "|" ? "\n" : " ").trim();
  const whole = [first, ...more].filter((line) => line !== "").join(" ");
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(whole);
  if (quoted?.[1] !== undefined)
    return quoted[1].replace(/\\(.)/g, (_, sign) => (sign === "n" ? "\n" : sign));
  if (quoted?.[2] !== undefined) return quoted[2].replaceAll("''", "'");
  return whole.replace(/\s#.*$/, "").trim();
}
