import { z } from "zod";
import { resolveInside } from "../../../contain/paths.ts";
import { makeFolders, move, putBackLink, remove, replaceFile } from "../../../contain/paths-change.ts";
import { inspect } from "../../../contain/paths-open.ts";
import { noteCall, recordCall } from "../../../protocol/audit.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import type { UndoEntry, UndoJournal } from "../../../protocol/undo.ts";
import { hashOf, KEPT_BYTES, keptEntry } from "./snapshot.ts";
import { readBytes } from "./text.ts";

// The record of each change. Paths are relative to their root, so that the order of the roots does not matter.

const kept = { root: z.string(), path: z.string() };
const madeFolders = z.array(z.string());

const writeRecord = z.object({
  operation: z.enum(["write", "edit"]),
  ...kept,
  before: z.object({ key: z.string(), mode: z.number(), hash: z.string() }).nullable(),
  /** Hash of what was written. */
  after: z.string(),
  /** Folders that were created, innermost first. */
  madeFolders,
});
const moveRecord = z.object({
  operation: z.literal("move"),
  ...kept,
  destinationRoot: z.string(),
  destination: z.string(),
  madeFolders,
});
const deleteRecord = z.object({ operation: z.literal("delete"), ...kept, entries: z.array(keptEntry) });
const changeRecord = z.discriminatedUnion("operation", [writeRecord, moveRecord, deleteRecord]);

export type WriteRecord = z.output<typeof writeRecord>;
export type MoveRecord = z.output<typeof moveRecord>;
export type DeleteRecord = z.output<typeof deleteRecord>;

/** Records a change before it is made: for undoing it, and in the audit log. */
export async function recordChange(
  context: ToolContext,
  summary: string,
  reversible: boolean,
  record: z.output<typeof changeRecord>,
  bytes?: number,
): Promise<void> {
  context.signal.throwIfAborted();
  await context.undo?.record({ summary, reversible, data: record });
  await recordCall(context, "file.changed", { ...aboutChange(record), bytes });
}

/** Which file, and the hash of what is in it now. */
function aboutChange(record: z.output<typeof changeRecord>) {
  const kind = record.operation;
  const path = `${record.root}/${record.path}`;
  if (record.operation === "move")
    return { kind, path: `${record.destinationRoot}/${record.destination}`, from: path };
  return { kind, path, ...(record.operation === "delete" ? {} : { hash: record.after }) };
}

/** Reverts a change. It may never have been made, be half made, or have been reverted before. */
export async function undo(entry: UndoEntry, context: ToolContext): Promise<string> {
  const { undo: journal } = context;
  const { data: record } = changeRecord.safeParse(entry.data);
  if (!entry.reversible || !journal || !record)
    throw new Failure("CONFLICT", `There is no way back from: ${entry.summary}.`);
  // The caller must still have access to the root.
  await resolveInside(context.roots, record.root, "the folder of that time");
  const { path, kind } = aboutChange(record);
  noteCall(context, "file.changed", { kind: `undo ${kind}`, path });
  if (record.operation === "move") return undoMove(record, context);
  if (record.operation === "delete") return undoDelete(record, journal);
  return undoWrite(record, journal);
}

async function undoWrite(record: WriteRecord, journal: UndoJournal): Promise<string> {
  const { path, before, after } = record;
  const roots = [record.root];
  const current = await hashAt(roots, path);
  if (current === (before?.hash ?? undefined)) return `"${path}" is already as it was before.`;
  if (current !== after) throw changedSince(path);
  if (before) {
    await replaceFile(roots, path, await journal.load(before.key), { mode: before.mode });
    return `Put back "${path}" as it was before.`;
  }
  await remove(roots, path);
  await removeEmpty(roots, record.madeFolders);
  return `Removed "${path}", which was new.`;
}

async function undoMove(record: MoveRecord, context: ToolContext): Promise<string> {
  await resolveInside(context.roots, record.destinationRoot, "the folder of that time");
  const { path, destination, root, destinationRoot } = record;
  const [old, moved] = [await inspect([root], path), await inspect([destinationRoot], destination)];
  if (old && !moved) return `"${path}" is already where it was before.`;
  if (old || !moved) throw changedSince(path);
  const roots = [root, destinationRoot];
  await move(roots, pathFrom(root, destinationRoot, destination), path);
  await removeEmpty([destinationRoot], record.madeFolders);
  return `Moved "${destination}" back to "${path}".`;
}

function pathFrom(first: string, root: string, path: string): string {
  return root === first ? path : `${root}/${path}`;
}

async function undoDelete(record: DeleteRecord, journal: UndoJournal): Promise<string> {
  const roots = [record.root];
  let restored = 0;
  for (const entry of record.entries) {
    const path = entry.path === "" ? record.path : `${record.path}/${entry.path}`;
    const there = await inspect(roots, path);
    if (there && there.type !== entry.type) throw changedSince(path);
    if (there && entry.type === "file" && (await hashAt(roots, path)) !== entry.hash)
      throw changedSince(path);
    if (there) continue;
    if (entry.type === "folder") await makeFolders(roots, path);
    else if (entry.type === "link") await putBackLink(roots, path, entry.target);
    else
      await replaceFile(roots, path, await journal.load(entry.key), { mode: entry.mode, expected: "absent" });
    restored++;
  }
  // Permissions come last, because a read-only folder could not be filled.
  for (const entry of record.entries.toReversed()) {
    if (entry.type !== "folder") continue;
    await makeFolders(roots, entry.path === "" ? record.path : `${record.path}/${entry.path}`, entry.mode);
  }
  if (restored === 0) return `"${record.path}" is still there.`;
  return `Put back "${record.path}"${restored > 1 ? `, ${restored} entries` : ""}.`;
}

/** The hash of a file, or undefined when there is none. A file that cannot be read counts as changed. */
async function hashAt(roots: readonly string[], path: string): Promise<string | undefined> {
  try {
    return hashOf((await readBytes(roots, path, KEPT_BYTES, "")).bytes);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code === "NOT_FOUND" ? undefined : "unreadable";
  }
}

async function removeEmpty(roots: readonly string[], folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await remove(roots, folder);
    } catch (error) {
      // It is not empty any more, or already gone.
      if (error instanceof Failure && (error.code === "CONFLICT" || error.code === "NOT_FOUND")) return;
      throw error;
    }
  }
}

function changedSince(path: string): Failure {
  return new Failure("CONFLICT", `"${path}" was changed since by something else, so it is left as it is.`);
}
