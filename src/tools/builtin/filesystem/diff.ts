import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";
import { printable } from "../../../contain/paths.ts";

/** Beyond this many changed lines, the old text is shown as removed and the new text as added. */
const MAX_EDITS = 1_000;

/** Returns a unified diff of two texts, or an empty text where they are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(path, path, before, after, undefined, undefined, options);
  return formatPatch(patch ?? replaceAll(path, before, after), FILE_HEADERS_ONLY).trimEnd();
}

/** Returns a diff for people and models: without CR line ends, and with control characters escaped. */
export function plainDiff(path: string, before: string, after: string): string {
  const diff = unifiedDiff(path, before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n"));
  return diff.split("\n").map(plainLine).join("\n");
}

const MAX_EXCERPT_LINES = 40;
const MAX_EXCERPT_LINE = 300;

/** Returns the changed lines of a text and some around them, with their numbers. */
export function excerptOf(before: string, after: string): string {
  const [old, current] = [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const { hunks } = structuredPatch("", "", old, current, undefined, undefined, options) ?? {
    hunks: [{ newStart: 1, lines: current.split("\n").map((line) => ` ${line}`) }],
  };
  const lines = hunks.flatMap(({ newStart, lines }, index) => {
    const kept = lines.filter((line) => line.startsWith(" ") || line.startsWith("+"));
    const numbered = kept.map((line, at) => numberedLine(newStart + at, line.slice(1), MAX_EXCERPT_LINE));
    return index === 0 ? numbered : ["…", ...numbered];
  });
  if (lines.length <= MAX_EXCERPT_LINES) return lines.join("\n");
  return [...lines.slice(0, MAX_EXCERPT_LINES), `… ${lines.length - MAX_EXCERPT_LINES} more lines`].join(
    "\n",
  );
}

/** Returns a line with its number, cut where it is too long. `dropped` is what was cut off before. */
export function numberedLine(number: number, line: string, most: number, dropped = 0): string {
  if (line.length <= most) return `${number}\t${line}`;
  const more = line.length + dropped - most;
  return `${number}\t${line.slice(0, most).toWellFormed()} [… ${more} more characters in this line]`;
}

/** A line with control characters escaped, except for tabs. */
export function plainLine(line: string): string {
  return line.split("\t").map(printable).join("\t");
}

function replaceAll(path: string, before: string, after: string): StructuredPatch {
  const removed = structuredPatch(path, path, before, "").hunks[0];
  const added = structuredPatch(path, path, "", after).hunks[0];
  return {
    oldFileName: path,
    newFileName: path,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [
      {
        oldStart: 1,
        oldLines: removed?.oldLines ?? 0,
        newStart: 1,
        newLines: added?.newLines ?? 0,
        lines: [...(removed?.lines ?? []), ...(added?.lines ?? [])],
      },
    ],
  };
}
