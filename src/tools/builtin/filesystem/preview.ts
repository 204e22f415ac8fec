import { printable, showPath } from "../../../contain/paths.ts";
import { inspect, openFolder } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { edited } from "./change.ts";
import { unifiedDiff } from "./diff.ts";
import type { Parameters } from "./parameters.ts";
import { KEPT_BYTES } from "./snapshot.ts";
import { formatBytes, readBytes, textOf } from "./text.ts";

const MAX_PREVIEW = 20_000;
const MAX_COUNTED = 1_000;

/** The preview for approving a change: a diff or a sentence. Undefined for operations that change nothing. */
export async function preview(args: Parameters, context: ToolContext): Promise<string | undefined> {
  try {
    const text = await describe(args, context);
    if (text === undefined || text.length <= MAX_PREVIEW) return text;
    return `${text.slice(0, MAX_PREVIEW)}\n[Cut: the whole is ${text.length} characters long.]`;
  } catch (error) {
    if (error instanceof Failure) return `This will fail: ${error.publicMessage}`;
    throw error;
  }
}

async function describe(args: Parameters, context: ToolContext): Promise<string | undefined> {
  const name = showPath(args.path);
  switch (args.operation) {
    case "write":
      return describeWrite(args, context);
    case "edit": {
      const { text, after } = await edited(args, context);
      return plainDiff(name, text, after);
    }
    case "move":
      return `Move "${name}" to "${showPath(args.destination ?? "")}".`;
    case "delete":
      return describeDelete(args, context);
    default:
      return undefined;
  }
}

async function describeWrite(args: Parameters, context: ToolContext): Promise<string> {
  const name = showPath(args.path);
  const content = args.content ?? "";
  const facts = await inspect(context.roots, args.path);
  if (facts === undefined) return `New file "${name}":\n${plainDiff(name, "", content)}`;
  const size = formatBytes(Buffer.byteLength(content));
  const replaced = `Replace "${name}" (${formatBytes(facts.size)}) with ${size} of text.`;
  if (facts.size > KEPT_BYTES) return `${replaced} This cannot be undone.`;
  const text = textOf((await readBytes(context.roots, args.path, KEPT_BYTES, "")).bytes);
  return text === undefined ? replaced : plainDiff(name, text, content) || `"${name}" stays as it is.`;
}

async function describeDelete(args: Parameters, context: ToolContext): Promise<string> {
  const name = showPath(args.path);
  const facts = await inspect(context.roots, args.path);
  if (facts === undefined) return `This will fail: there is no "${name}".`;
  if (facts.type === "file") return `Delete the file "${name}" (${formatBytes(facts.size)}).`;
  if (facts.type !== "folder") return `Delete "${name}", which is neither a file nor a folder.`;
  const folder = await openFolder(context.roots, args.path);
  try {
    const { entries, cut } = await folder.entries(MAX_COUNTED);
    if (entries.length === 0) return `Delete the empty folder "${name}".`;
    if (!args.recursive)
      return `This will fail: the folder "${name}" is not empty, and recursive is not set.`;
    const count = cut ? `more than ${entries.length}` : entries.length;
    return `Delete the folder "${name}" with everything in it: ${count} ${count === 1 ? "entry" : "entries"} and what is below.`;
  } finally {
    await folder.close();
  }
}

/** A diff with control characters escaped. */
function plainDiff(name: string, before: string, after: string): string {
  return unifiedDiff(name, before, after)
    .split("\n")
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n");
}
