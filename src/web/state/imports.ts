import { Failure } from "../../protocol/failure.ts";
import { t } from "../text/t.ts";
import { notify, notifyFailure } from "./notices.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

/** A guest may send 512 kB at once, and a character has up to three bytes. */
const MAX_CHARACTERS = 150_000;
const MAX_PER_REQUEST = 50;

/** Lets the person choose exported conversations of this or another program, and imports them. */
export function chooseImport(): void {
  const field = Object.assign(document.createElement("input"), {
    type: "file",
    accept: ".json",
    multiple: true,
  });
  field.addEventListener("change", () => void importFiles([...(field.files ?? [])]));
  field.click();
}

async function importFiles(files: readonly File[]): Promise<void> {
  const conversations: unknown[] = [];
  for (const file of files) {
    try {
      const document: unknown = JSON.parse(await file.text());
      for (const one of Array.isArray(document) ? document : [document]) conversations.push(one);
    } catch {
      // Whatever it is, it is not an export.
      notify({ kind: "error", text: t("importNotJson", { name: file.name }) });
    }
  }
  if (conversations.length === 0) return;
  const count = await importAll(conversations);
  const failed = conversations.length - count;
  if (count > 0) await refreshSessions();
  notify({ text: failed === 0 ? t("imported", { count }) : t("importedSome", { count, failed }) });
}

/** Returns how many conversations were imported. */
async function importAll(conversations: readonly unknown[]): Promise<number> {
  let count = 0;
  let done = 0;
  for (const batch of batchesOf(conversations)) {
    const hide = notify({ text: t("importing", { done, all: conversations.length }) });
    try {
      count += await importBatch(batch);
      done += batch.length;
    } catch (error) {
      notifyFailure(error);
      return count;
    } finally {
      hide();
    }
  }
  return count;
}

/** If a conversation of the batch can't be read, the others are imported one by one. */
async function importBatch(batch: readonly unknown[]): Promise<number> {
  try {
    return (await chat.importSessions(batch)).length;
  } catch (error) {
    const unreadable = error instanceof Failure && (error.status === 400 || error.status === 413);
    if (!unreadable) throw error;
    if (batch.length === 1) return 0;
  }
  let count = 0;
  for (const one of batch) count += await importBatch([one]);
  return count;
}

function batchesOf(conversations: readonly unknown[]): unknown[][] {
  const batches: unknown[][] = [[]];
  let characters = 0;
  for (const one of conversations) {
    const length = JSON.stringify(one)?.length ?? 0;
    const current = batches.at(-1) ?? [];
    const isFull = current.length >= MAX_PER_REQUEST || characters + length > MAX_CHARACTERS;
    if (current.length > 0 && isFull) {
      batches.push([one]);
      characters = length;
    } else {
      current.push(one);
      characters += length;
    }
  }
  return batches;
}
