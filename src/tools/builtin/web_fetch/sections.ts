export interface Heading {
  level: number;
  text: string;
  /** Offset of its line. */
  start: number;
}

/** More headings than anybody chooses from. */
const MOST_HEADINGS = 2_000;
const MOST_CHARACTERS = 300;

/** The headings of a Markdown text, except those in code blocks: the first 2,000. */
export function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = [];
  let fence = "";
  // Only lines that can matter: a text can have millions of them.
  for (const { 0: line, index: start } of markdown.matchAll(/^(?:#{1,6} |[ \t]*(?:```|~~~)).*$/gm)) {
    const ticks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && ticks !== "") fence = ticks;
    else if (fence !== "" && ticks.startsWith(fence) && line.trim() === ticks) fence = "";
    const match = fence === "" ? /^(#{1,6}) (.+)$/.exec(line) : null;
    if (!match?.[1] || !match[2]) continue;
    headings.push({ level: match[1].length, text: match[2].slice(0, MOST_CHARACTERS).trim(), start });
    if (headings.length === MOST_HEADINGS) break;
  }
  return headings;
}

/** The section under a heading, up to the next heading of the same level. Undefined if there is no such heading. */
export function sectionOf(
  markdown: string,
  headings: readonly Heading[],
  wanted: string,
): string | undefined {
  const names = headings.map(({ text }) => plain(text));
  const name = plain(wanted.replace(/^#+\s*/, ""));
  const index = [
    (text: string) => text === name,
    (text: string) => text.startsWith(name),
    (text: string) => text.includes(name),
  ]
    .map((matches) => names.findIndex(matches))
    .find((found) => found >= 0);
  const heading = index === undefined || name === "" ? undefined : headings[index];
  if (index === undefined || !heading) return undefined;
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return markdown.slice(heading.start, next?.start).trimEnd();
}

/** A heading without links, formatting and case. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`~]/g, "")
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
