import type { StoredFile } from "../protocol/files.ts";
import type { FilePiece } from "../protocol/projects.ts";

/** Reads the text of a file. PDFs have a line `[Page 3]` before each page. */
export type TextOfFile = (file: StoredFile, signal: AbortSignal) => Promise<string | undefined>;

/** How much of a file can be searched, and how long a piece is at most. */
const MOST_CHARACTERS = 2_000_000;
const PIECE = 1_200;
const PAGE = /^\[Page (\d+)\]$/;

/** Splits a text into pieces that end with a line or a word, each with its place in the file. */
export function piecesOf(text: string): FilePiece[] {
  const pieces: FilePiece[] = [];
  let page: string | undefined;
  let place = "";
  let collected = "";
  const end = () => {
    if (collected.trim() !== "") pieces.push({ place, text: collected.trim() });
    collected = "";
  };
  for (const [index, line] of text.slice(0, MOST_CHARACTERS).replaceAll("\0", " ").split("\n").entries()) {
    const [, number] = PAGE.exec(line) ?? [];
    if (number !== undefined) {
      end();
      page = `page ${number}`;
      continue;
    }
    for (const part of partsOf(line.trimEnd())) {
      if (collected.length + part.length > PIECE) end();
      if (collected === "" && part.trim() === "") continue;
      if (collected === "") place = page ?? `line ${index + 1}`;
      collected += `${part}\n`;
    }
  }
  end();
  return pieces;
}

/** A line may be a whole book. */
function partsOf(line: string): string[] {
  if (line.length <= PIECE) return [line];
  return line.match(new RegExp(`[\\s\\S]{1,${PIECE - 100}}(?:\\s|$)|[\\s\\S]{1,${PIECE - 100}}`, "g")) ?? [];
}
