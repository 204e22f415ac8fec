import type { StoredFile } from "../protocol/files.ts";
import type { FilePiece } from "../protocol/projects.ts";

/** Reads the text of a file. PDFs have a line `[Page 3]` before each page. */
export type TextOfFile = (file: StoredFile, signal: AbortSignal) => Promise<string | undefined>;

/** How much of a file can be searched, and how long a piece is at most. */
export const MOST_CHARACTERS = 2_000_000;
const PIECE = 1_200;
/** Lines that say where a page, a slide or a sheet begins, and how a row of a sheet begins. */
const MARK = /^\[(?:(Page|Slide) (\d+)|Sheet “(.{1,100})”)\]$/;
const ROW = /^(\d+) \| /;
const HEADING = /^#{1,6} (.+)$/;

/**
 * Splits a text into pieces that end with a line or a word, each with its place in the file: its page, slide or row, or with
 * `byHeading` the heading that it stands under.
 */
export function piecesOf(text: string, byHeading = false): FilePiece[] {
  const pieces: FilePiece[] = [];
  let page = byHeading ? "the beginning" : undefined;
  let sheet: string | undefined;
  let place = "";
  let collected = "";
  const end = () => {
    if (collected !== "") pieces.push({ place, text: collected.trim() });
    collected = "";
  };
  for (const [index, line] of linesOf(text).entries()) {
    const [mark, kind = "", number = "", name] = MARK.exec(line) ?? [];
    if (mark !== undefined) {
      end();
      sheet = name;
      page = `${kind.toLowerCase()} ${number}`;
      continue;
    }
    const [, heading] = (byHeading && HEADING.exec(line)) || [];
    if (heading !== undefined) {
      end();
      page = `under “${heading.slice(0, 80)}”`;
    }
    const [, row] = (sheet !== undefined && ROW.exec(line)) || [];
    for (const part of partsOf(line.trimEnd())) {
      if (collected.length + part.length > PIECE) end();
      if (collected === "" && part.trim() === "") continue;
      if (collected === "" && sheet !== undefined) place = `${sheet}, row ${row ?? 1}`;
      else if (collected === "") place = page ?? `line ${index + 1}`;
      collected += `${part}\n`;
    }
  }
  end();
  return pieces;
}

function linesOf(text: string): string[] {
  return text
    .slice(0, MOST_CHARACTERS)
    .replaceAll("\0", " ")
    .split(/\r\n?|\n/);
}

/** A line may be a whole book. */
function partsOf(line: string): string[] {
  if (line.length <= PIECE) return [line];
  const part = new RegExp(`[\\s\\S]{1,${PIECE - 100}}(?:\\s|$)|[\\s\\S]{1,${PIECE - 100}}`, "g");
  return Array.from(line.matchAll(part), ([text]) => text);
}
