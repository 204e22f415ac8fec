import { isObject } from "./json.ts";

/** Returns the lines that an edit of the filesystem tool removes (`-`) and adds (`+`). Undefined for any other call. */
export function editedLines(args: unknown): string[] | undefined {
  if (!isObject(args) || args.operation !== "edit") return undefined;
  const edits = Array.isArray(args.edits) ? args.edits : [args];
  return edits.flatMap((edit) => {
    if (!isObject(edit)) return [];
    const [old, fresh] = [
      linesOf(edit.oldText ?? edit.old_string ?? edit.old_str),
      linesOf(edit.newText ?? edit.new_string ?? edit.new_str),
    ];
    const most = Math.min(old.length, fresh.length);
    let before = 0;
    while (before < most && old[before] === fresh[before]) before++;
    let after = 0;
    while (after < most - before && old.at(-1 - after) === fresh.at(-1 - after)) after++;
    return [
      ...old.slice(before, old.length - after).map((line) => `-${line}`),
      ...fresh.slice(before, fresh.length - after).map((line) => `+${line}`),
    ];
  });
}

function linesOf(text: unknown): string[] {
  if (typeof text !== "string" || text === "") return [];
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
