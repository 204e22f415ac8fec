import { type Place, resolveInside, showPath } from "../../../contain/paths.ts";
import { move as moveInside, remove, replaceFile } from "../../../contain/paths-change.ts";
import { type Facts, inspect, openFolder } from "../../../contain/paths-open.ts";
import { byteSize } from "../../../protocol/byte-size.ts";
import { Failure } from "../../../protocol/failure.ts";
import { hasHiddenMark } from "../../../protocol/hidden.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import { excerptOf } from "./diff.ts";
import { applyEdits } from "./edits.ts";
import type { Parameters } from "./parameters.ts";
import { refuseUnseen, rememberFile } from "./seen.ts";
import { hashOf, KEPT_BYTES, takeSnapshot } from "./snapshot.ts";
import { decodeText, encodeText, type FileBytes, notText, readBytes } from "./text.ts";
import { type DeleteRecord, type MoveRecord, recordChange, type WriteRecord } from "./undo.ts";

const TOO_LARGE_TO_KEEP = ` This cannot be undone: only up to ${byteSize(KEPT_BYTES)} are kept.`;

/** Writes a whole file. One that exists keeps its encoding and its line ends. */
export async function write(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  const { facts, before, bytes, kept } = await planWrite(args, context);
  const reversible = facts === undefined || before !== undefined;
  await recordWrite("write", args, context, before, bytes, reversible);
  const expected = facts?.fingerprint ?? "absent";
  await replaceFile(context.roots, args.path, bytes, { expected });
  await rememberFile(context, args.path, hashOf(bytes), bytes);
  const kind = facts ? "replaced" : "new file";
  const note = reversible || !context.undo ? "" : TOO_LARGE_TO_KEEP;
  return done(`Wrote "${showPath(args.path)}" (${byteSize(bytes.length)}, ${kind}${kept}).${note}`, args);
}

/** Computes what a write puts into the file. Throws where it would overwrite what the caller has not seen. */
export async function planWrite(args: Parameters, context: ToolContext) {
  const content = args.content ?? "";
  refuseHidden(content);
  const facts = await inspect(context.roots, args.path);
  // Reading it first also refuses anything but a regular file, before the change is recorded.
  const small = facts !== undefined && facts.size <= KEPT_BYTES;
  const before = small ? await readBytes(context.roots, args.path, KEPT_BYTES, "") : undefined;
  if (before) await refuseUnseen(context, args.path, before.bytes);
  const text = before && before.bytes.length > 0 ? decodeText(before.bytes) : undefined;
  const returns = text !== undefined && !/(?<!\r)\n/.test(text.text) && text.text.includes("\r\n");
  const after = returns && !content.includes("\r") ? content.replaceAll("\n", "\r\n") : content;
  const unmarked = after.startsWith("\ufeff") ? after.slice(1) : after;
  const bytes = text?.encoding.marked ? encodeText(unmarked, text.encoding) : Buffer.from(after);
  const kept = [
    ...(text && text.encoding.name !== "utf-8" ? [", still UTF-16"] : []),
    ...(after === content ? [] : [", still with CRLF line ends"]),
  ].join("");
  return { facts, before, text: text?.text, bytes, after: unmarked, kept };
}

/** Replaces texts in a file. */
export async function edit(args: Parameters, context: ToolContext): Promise<ToolOutput> {
  if (isCreation(args)) {
    await refuseOverwrite(args, context);
    return write({ ...args, operation: "write", content: args.newText ?? "" }, context);
  }
  const { before, text, after, bytes, count, tolerances } = await edited(args, context);
  await recordWrite("edit", args, context, before, bytes, true);
  await replaceFile(context.roots, args.path, bytes, { expected: before.fingerprint });
  await rememberFile(context, args.path, hashOf(bytes), bytes);
  const times = count === 1 ? "one place" : `${count} places`;
  const how = tolerances.length > 0 ? ` (found ${[...new Set(tolerances)].join("; ")})` : "";
  const sentence = `Changed "${showPath(args.path)}" in ${times}${how}. Now:`;
  const { trust: _, ...output } = done(`${sentence}\n${excerptOf(text, after)}`, args);
  return output;
}

/** True for an edit that replaces nothing and so creates a file. */
export function isCreation({ operation, oldText, edits }: Parameters): boolean {
  return operation === "edit" && edits === undefined && oldText === "";
}

/** Throws if an edit without a text to replace would overwrite a file. */
export async function refuseOverwrite(args: Parameters, context: ToolContext): Promise<void> {
  const facts = await inspect(context.roots, args.path);
  if (facts === undefined || (facts.type === "file" && facts.size === 0)) return;
  throw new Failure(
    "INVALID_INPUT",
    `"${showPath(args.path)}" exists already, and an empty oldText only creates files. Give the text to replace.`,
  );
}

/** Computes the result of an edit. Throws where a text to replace is missing or ambiguous. */
export async function edited(args: Parameters, context: ToolContext) {
  const { oldText = "", newText = "", replaceAll } = args;
  const edits = args.edits ?? [{ oldText, newText, replaceAll }];
  for (const one of edits) refuseHidden(one.newText);
  const before = await readBytes(context.roots, args.path, KEPT_BYTES, "Edit it by other means.");
  const file = decodeText(before.bytes);
  if (file === undefined) throw notText(args.path, before.bytes.length, before.bytes.subarray(0, 4_096));
  await refuseUnseen(context, args.path, before.bytes);
  const { after, count, tolerances } = applyEdits(args.path, file.text, edits);
  return { before, text: file.text, after, bytes: encodeText(after, file.encoding), count, tolerances };
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
  const { from, to } = await planMove(args, context);
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

/** Returns where a move leads. Throws if there is nothing to move or the destination is taken. */
export async function planMove(args: Parameters, context: ToolContext): Promise<{ from: Place; to: Place }> {
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
  return { from, to };
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

/** Returns what is at the path. Throws for a working folder and where there is nothing. */
export async function checkSource(args: Parameters, context: ToolContext): Promise<Facts> {
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
  throw notEmpty(args);
}

export function notEmpty({ path }: Parameters): Failure {
  return new Failure(
    "CONFLICT",
    `The folder "${showPath(path)}" is not empty. Set recursive to delete it all.`,
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
  const place = await resolveInside(context.roots, args.path);
  const record: WriteRecord = {
    operation,
    root: place.root,
    path: place.names.join("/"),
    before:
      before && undo
        ? { key: await undo.keep(before.bytes), mode: before.mode, hash: hashOf(before.bytes) }
        : null,
    after: hashOf(after),
    madeFolders: await missingFolders(place),
  };
  await recordChange(context, `${operation} ${showPath(args.path)}`, reversible, record, after.length);
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
