import { type Place, resolveInside, showPath } from "../../../contain/paths.ts";
import { move as moveInside, remove, replaceFile } from "../../../contain/paths-change.ts";
import { type Facts, inspect, openFolder } from "../../../contain/paths-open.ts";
import { Failure } from "../../../protocol/failure.ts";
import { hasHiddenMark } from "../../../protocol/hidden.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import type { Parameters } from "./parameters.ts";
import { hashOf, KEPT_BYTES, takeSnapshot } from "./snapshot.ts";
import { type FileBytes, formatBytes, notText, readBytes, textOf } from "./text.ts";
import { type DeleteRecord, type MoveRecord, recordChange, type WriteRecord } from "./undo.ts";

const TOO_LARGE_TO_KEEP = ` This cannot be undone: only up to ${formatBytes(KEPT_BYTES)} are kept.`;

/** Writes a whole file. */
export async function write(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  refuseHidden(args.content ?? "");
  const bytes = Buffer.from(args.content ?? "");
  const facts = await inspect(context.roots, args.path);
  // Reading it first also refuses anything but a regular file, before the change is recorded.
  const small = facts !== undefined && facts.size <= KEPT_BYTES;
  const before = small ? await readBytes(context.roots, args.path, KEPT_BYTES, "") : undefined;
  const reversible = facts === undefined || before !== undefined;
  await recordWrite("write", args, context, before, bytes, reversible);
  const expected = facts?.fingerprint ?? "absent";
  await replaceFile(context.roots, args.path, bytes, { expected });
  const kind = facts ? "replaced" : "new file";
  const note = reversible || !context.undo ? "" : TOO_LARGE_TO_KEEP;
  return done(`Wrote "${showPath(args.path)}" (${formatBytes(bytes.length)}, ${kind}).${note}`, args);
}

/** Replaces an exact text in a file. */
export async function edit(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const { before, after, count } = await edited(args, context);
  const bytes = Buffer.from(after);
  await recordWrite("edit", args, context, before, bytes, true);
  await replaceFile(context.roots, args.path, bytes, { expected: before.fingerprint });
  const times = count === 1 ? "one place" : `${count} places`;
  return done(`Changed "${showPath(args.path)}" in ${times}.`, args);
}

/** Computes the result of an edit. Throws where the text to replace is missing or ambiguous. */
export async function edited(
  args: Parameters,
  context: ToolContext,
): Promise<{ before: FileBytes; text: string; after: string; count: number }> {
  refuseHidden(args.newText ?? "");
  const before = await readBytes(context.roots, args.path, KEPT_BYTES, "Edit it by other means.");
  const text = textOf(before.bytes);
  if (text === undefined) throw notText(args.path, before.bytes.length);
  let oldText = args.oldText ?? "";
  let newText = args.newText ?? "";
  // The caller does not see whether lines end with CRLF.
  if (!text.includes(oldText) && text.includes("\r\n") && !oldText.includes("\r")) {
    oldText = oldText.replaceAll("\n", "\r\n");
    newText = newText.replaceAll("\n", "\r\n");
  }
  const pieces = text.split(oldText);
  const count = pieces.length - 1;
  const name = showPath(args.path);
  if (count === 0) {
    const advice = "Read the file again and copy the text exactly, with its spaces.";
    throw new Failure("INVALID_INPUT", `oldText does not occur in "${name}". ${advice}`);
  }
  if (count > 1 && !args.replaceAll) {
    const advice = "Give more of the text around it, or set replaceAll.";
    throw new Failure("INVALID_INPUT", `oldText occurs ${count} times in "${name}". ${advice}`);
  }
  const after = pieces.join(newText);
  if (after === text) throw new Failure("INVALID_INPUT", "newText equals oldText: nothing would change.");
  return { before, text, after, count };
}

/** Secrets are hidden when a file is read. Writing the marks back would overwrite the secrets. */
function refuseHidden(text: string): void {
  if (!hasHiddenMark(text)) return;
  throw new Failure(
    "INVALID_INPUT",
    "The text holds a mark such as [secret hidden], which stands for a secret that was not shown, and would overwrite it. " +
      "Edit only the lines around it, and leave the line with the mark as it is.",
  );
}

/** Renames a file or folder. */
export async function move(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const destination = args.destination ?? "";
  const from = await resolveInside(context.roots, args.path);
  const to = await resolveInside(context.roots, destination);
  await checkSource(args, context);
  if (await inspect(context.roots, destination)) {
    throw new Failure(
      "CONFLICT",
      `"${showPath(destination)}" already exists. Delete it first, or choose another name.`,
    );
  }
  const record: MoveRecord = {
    operation: "move",
    root: from.root,
    path: from.names.join("/"),
    destinationRoot: to.root,
    destination: to.names.join("/"),
    madeFolders: await missingFolders(to),
  };
  await recordChange(context, `move ${showPath(args.path)} to ${showPath(destination)}`, true, record);
  await moveInside(context.roots, args.path, destination);
  return done(`Moved "${showPath(args.path)}" to "${showPath(destination)}".`, args);
}

/** Deletes a file or folder. */
export async function deletePath(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const place = await resolveInside(context.roots, args.path);
  const facts = await checkSource(args, context);
  if (facts.type === "folder" && !args.recursive) await checkEmpty(args, context);
  const entries = context.undo ? await takeSnapshot(place, context.undo, context.signal) : undefined;
  const record: DeleteRecord = {
    operation: "delete",
    root: place.root,
    path: place.names.join("/"),
    entries: entries ?? [],
  };
  await recordChange(context, `delete ${showPath(args.path)}`, entries !== undefined, record);
  await remove(context.roots, args.path, { recursive: args.recursive ?? false, signal: context.signal });
  const note = context.undo && entries === undefined ? TOO_LARGE_TO_KEEP : "";
  return done(`Deleted the ${facts.type} "${showPath(args.path)}".${note}`, args);
}

async function checkSource(args: Parameters, context: ToolContext): Promise<Facts> {
  const { names, shown } = await resolveInside(context.roots, args.path);
  if (names.length === 0)
    throw new Failure("INVALID_INPUT", `"${shown}" is the working folder itself; it stays.`);
  const facts = await inspect(context.roots, args.path);
  if (facts === undefined) throw new Failure("NOT_FOUND", `There is no "${shown}".`);
  return facts;
}

async function checkEmpty(args: Parameters, context: ToolContext): Promise<void> {
  const folder = await openFolder(context.roots, args.path);
  try {
    const { entries } = await folder.entries(1);
    if (entries.length === 0) return;
  } finally {
    await folder.close();
  }
  throw new Failure(
    "CONFLICT",
    `The folder "${showPath(args.path)}" is not empty. Set recursive to delete it all.`,
  );
}

async function recordWrite(
  operation: WriteRecord["operation"],
  args: Parameters,
  context: ToolContext,
  before: FileBytes | undefined,
  after: Uint8Array,
  reversible: boolean,
): Promise<void> {
  const { undo } = context;
  if (!undo) return;
  const place = await resolveInside(context.roots, args.path);
  const record: WriteRecord = {
    operation,
    root: place.root,
    path: place.names.join("/"),
    before: before
      ? { key: await undo.keep(before.bytes), mode: before.mode, hash: hashOf(before.bytes) }
      : null,
    after: hashOf(after),
    madeFolders: await missingFolders(place),
  };
  await recordChange(context, `${operation} ${showPath(args.path)}`, reversible, record);
}

/** The folders that have to be created for a place, innermost first, as paths below its root. */
async function missingFolders(place: Place): Promise<string[]> {
  const missing: string[] = [];
  for (let count = place.names.length - 1; count > 0; count--) {
    const folder = place.names.slice(0, count).join("/");
    if (await inspect([place.root], folder)) break;
    missing.push(folder);
  }
  return missing;
}

function done(sentence: string, args: Parameters): ToolOutput {
  const { operation, path, destination } = args;
  return { output: sentence, data: { operation, path, destination }, trust: "trusted" };
}
