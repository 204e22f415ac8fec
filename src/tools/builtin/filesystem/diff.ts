import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

/** Beyond this many changed lines, the old text is shown as removed and the new text as added. */
const MAX_EDITS = 1_000;

/** Returns a unified diff of two texts, or an empty text where they are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return "";
  const options = { context: 3, maxEditLength: MAX_EDITS };
  const patch = structuredPatch(path, path, before, after, undefined, undefined, options);
  return formatPatch(patch ?? replaceAll(path, before, after), FILE_HEADERS_ONLY).trimEnd();
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
