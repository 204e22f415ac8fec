/**
 * What a person cannot see or tell apart: control, direction and zero-width characters, unusual spaces, unassigned and private ones.
 * Joiners within an emoji stay.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\n|\t|\ufe0f|\u200d)[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;
/** Blank lines of a diff keep their sign. */
const BLANK = /^([-+]?)[ \t]*$/;
/** More blank lines in a row are folded. */
const MOST_BLANK = 3;
const LONG_GAP = /[ \t]{40,}/g;

/**
 * Returns untrusted text as every client shows it for an approval: all that cannot be seen spelled out, long runs of blank lines
 * and spaces folded with their count, and nothing left out. A text that was treated before stays the same.
 */
export function visibleText(text: string): string {
  const lines = spelledOut(text.replaceAll("\r\n", "\n")).split("\n");
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const sign = BLANK.exec(lines[at] ?? "")?.[1];
    let end = at + 1;
    while (sign !== undefined && end < lines.length && BLANK.exec(lines[end] ?? "")?.[1] === sign) end++;
    if (end - at > MOST_BLANK) shown.push(`${sign}⋮ ${end - at} empty lines`);
    else shown.push(...lines.slice(at, end).map(withoutGaps));
    at = end;
  }
  return shown.join("\n");
}

/** Returns a text in one line, with all that cannot be seen spelled out: no value may look like two. */
export function visibleLine(text: string): string {
  return withoutGaps(spelledOut(text).replace(/[\n\t]/g, mark));
}

function withoutGaps(line: string): string {
  return line.replace(LONG_GAP, (gap) => ` ⋯ ${gap.length} spaces ⋯ `);
}

function spelledOut(text: string): string {
  return text.replace(UNSEEN, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
