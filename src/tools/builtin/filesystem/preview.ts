import { showPath } from "../../../contain/paths.ts";
import { openFolder } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { checkSource, edited, isCreation, notEmpty, planMove, planWrite, refuseOverwrite } from "./change.ts";
import { plainDiff } from "./diff.ts";
import type { Parameters } from "./parameters.ts";
import { KEPT_BYTES } from "./snapshot.ts";
import { formatBytes } from "./text.ts";

const MAX_PREVIEW = 20_000;
const CUT = "\n[Cut: the whole is ";
const MAX_COUNTED = 1_000;

/**
 * The preview for approving a change: a diff or a sentence. Undefined for operations that change nothing. Throws `Failure`
 * if the change cannot be made, so that nobody is asked about it.
 */
export async function preview(args: Parameters, context: ToolContext): Promise<string | undefined> {
  const text = await describe(args, context);
  if (text === undefined || text.length <= MAX_PREVIEW) return text;
  return `${text.slice(0, MAX_PREVIEW).toWellFormed()}${CUT}${text.length} characters long.]`;
}

/** Throws CONFLICT if a change is no longer the one that was approved, because something else has changed the file. */
export async function refuseOther(args: Parameters, context: ToolContext): Promise<void> {
  const { approvedPreview } = context;
  if (approvedPreview === undefined) return;
  const now = await preview(args, context);
  if (now === undefined || sameChange(approvedPreview, now)) return;
  throw new Failure(
    "CONFLICT",
    `Nothing was changed: "${showPath(args.path)}" is not as it was when this was approved. It would now be:\n${now}`,
    { untrusted: true, origin: "workspace" },
  );
}

/** True if two previews change the same lines. The lines around them and their numbers may differ. */
function sameChange(left: string, right: string): boolean {
  const [before, after] = [left, right].map((text) => changedLines(text.split(CUT)[0] ?? ""));
  if (before === undefined || after === undefined) return false;
  if (!left.includes(CUT) && !right.includes(CUT)) return before === after;
  // The ends may be cut at different places.
  const length = Math.min(before.length, after.length, MAX_PREVIEW / 2);
  return before.slice(0, length) === after.slice(0, length);
}

function changedLines(preview: string): string {
  const lines = preview.split("\n");
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  return lines.filter((line) => !isDiff || /^[-+\\]/.test(line)).join("\n");
}

async function describe(args: Parameters, context: ToolContext): Promise<string | undefined> {
  const name = showPath(args.path);
  switch (args.operation) {
    case "write":
      return describeWrite(args, context);
    case "edit": {
      if (isCreation(args)) {
        await refuseOverwrite(args, context);
        return describeWrite({ ...args, content: args.newText ?? "" }, context);
      }
      const { text, after } = await edited(args, context);
      return plainDiff(name, text, after) || `Change only line ends in "${name}".`;
    }
    case "move":
      await planMove(args, context);
      return `Move "${name}" to "${showPath(args.destination ?? "")}".`;
    case "delete":
      return describeDelete(args, context);
    default:
      return undefined;
  }
}

async function describeWrite(args: Parameters, context: ToolContext): Promise<string> {
  const name = showPath(args.path);
  const { facts, text, bytes, after } = await planWrite(args, context);
  if (facts === undefined) return `New file "${name}":\n${plainDiff(name, "", after)}`;
  const replaced = `Replace "${name}" (${formatBytes(facts.size)}) with ${formatBytes(bytes.length)} of text.`;
  if (facts.size > KEPT_BYTES) return `${replaced} This cannot be undone.`;
  if (facts.size === 0) return plainDiff(name, "", after) || `"${name}" stays as it is.`;
  return text === undefined ? replaced : plainDiff(name, text, after) || `"${name}" stays as it is.`;
}

async function describeDelete(args: Parameters, context: ToolContext): Promise<string> {
  const name = showPath(args.path);
  const facts = await checkSource(args, context);
  if (facts.type === "file") return `Delete the file "${name}" (${formatBytes(facts.size)}).`;
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
