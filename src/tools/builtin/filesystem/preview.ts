import { normalize } from "node:path";
import { showPath } from "../../../contain/paths.ts";
import { openFolder } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { visibleLine, visibleText } from "../../../protocol/visible-text.ts";
import { checkSource, edited, isCreation, notEmpty, planMove, planWrite, refuseOverwrite } from "./change.ts";
import { unifiedDiff } from "./diff.ts";
import type { Parameters } from "./parameters.ts";
import { KEPT_BYTES } from "./snapshot.ts";

const MAX_COUNTED = 1_000;
/** Characters of the new preview that the model is told. */
const MAX_TOLD = 20_000;

/** Throws CONFLICT if a change is no longer the one that was approved, because something else has changed the file. */
export async function refuseOther(args: Parameters, context: ToolContext): Promise<void> {
  const { approvedPreview } = context;
  if (approvedPreview === undefined) return;
  const now = await preview(args, context);
  if (now === undefined || sameChange(approvedPreview, now)) return;
  throw new Failure(
    "CONFLICT",
    `Nothing was changed: "${showPath(args.path)}" is not as it was when this was approved. It would now be:\n${now.slice(0, MAX_TOLD).toWellFormed()}`,
    { untrusted: true, origin: "workspace" },
  );
}

/** True if two previews change the same lines. The lines around them and their numbers may differ. */
function sameChange(left: string, right: string): boolean {
  return changedLines(left) === changedLines(visibleText(right));
}

function changedLines(preview: string): string {
  const lines = preview.split("\n");
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  return lines.filter((line) => !isDiff || /^[-+\\]/.test(line)).join("\n");
}

/**
 * The preview for approving a change: a diff or a sentence. Undefined for operations that change nothing. Throws `Failure`
 * if the change cannot be made, so that the person is not asked about it.
 */
export async function preview(args: Parameters, context: ToolContext): Promise<string | undefined> {
  const name = wholePath(args.path);
  switch (args.operation) {
    case "write":
      return describeWrite(args, context);
    case "edit": {
      if (isCreation(args)) {
        await refuseOverwrite(args, context);
        return describeWrite({ ...args, content: args.newText ?? "" }, context);
      }
      const { text, after } = await edited(args, context);
      return shownDiff(name, text, after) || `Change only line ends in "${name}".`;
    }
    case "move":
      await planMove(args, context);
      return `Move "${name}" to "${wholePath(args.destination ?? "")}".`;
    case "delete":
      return describeDelete(args, context);
    default:
      return undefined;
  }
}

/** A path is never cut: its end says which file it is. */
function wholePath(path: string): string {
  return visibleLine(normalize(path));
}

/** The whole change, with line ends of one kind. */
function shownDiff(name: string, before: string, after: string): string {
  return visibleText(unifiedDiff(name, before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")));
}

async function describeWrite(args: Parameters, context: ToolContext): Promise<string> {
  const name = wholePath(args.path);
  const { facts, text, bytes, after } = await planWrite(args, context);
  if (facts === undefined) return `New file "${name}":\n${shownDiff(name, "", after)}`;
  const replaced = `Replace "${name}" (${byteSize(facts.size)}) with ${byteSize(bytes.length)} of text.`;
  if (facts.size > KEPT_BYTES) return `${replaced} This cannot be undone.`;
  if (facts.size === 0) return shownDiff(name, "", after) || `"${name}" stays as it is.`;
  return text === undefined ? replaced : shownDiff(name, text, after) || `"${name}" stays as it is.`;
}

async function describeDelete(args: Parameters, context: ToolContext): Promise<string> {
  const name = wholePath(args.path);
  const facts = await checkSource(args, context);
  if (facts.type === "file") return `Delete the file "${name}" (${byteSize(facts.size)}).`;
  if (facts.type !== "folder") return `Delete "${name}", which is neither a file nor a folder.`;
  const folder = await openFolder(context.roots, args.path);
  try {
    const { entries, cut } = await folder.entries(MAX_COUNTED);
    if (entries.length === 0) return `Delete the empty folder "${name}".`;
    if (!args.recursive) throw notEmpty(args);
    const count = cut ? `more than ${entries.length}` : entries.length;
    return `Delete the folder "${name}" with everything in it: ${count} ${count === 1 ? "entry" : "entries"} and what is below.`;
  } finally {
    await folder.close();
  }
}
