import { Failure } from "../../protocol/failure.ts";
import { t } from "../text/t.ts";
import { notify, notifyFailure } from "./notices.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";

/** What goes to the server at once: it takes 12 MB. */
const MOST_CHARACTERS = 4_000_000;
const MOST_AT_ONCE = 50;

/** Lets the person choose exports of this or another program, and brings their conversations here. */
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
      conversations.push(...(Array.isArray(document) ? document : [document]));
    } catch {
      // Whatever it is, it is not what was meant: the person is told which file.
      notify({ kind: "error", text: t("importNotJson", { name: file.name }) });
    }
  }
  if (conversations.length === 0) return;
  const { taken, failed } = await bring(conversations);
  if (taken > 0) await refreshSessions();
  notify({
    text: failed === 0 ? t("imported", { count: taken }) : t("importedSome", { count: taken, failed }),
  });
}

async function bring(conversations: readonly unknown[]): Promise<{ taken: number; failed: number }> {
  const result = { taken: 0, failed: 0 };
  for (const batch of batchesOf(conversations)) {
    const done = result.taken + result.failed;
    const hide = notify({ text: t("importing", { done, all: conversations.length }) });
    try {
      const { taken, failed } = await bringBatch(batch);
      result.taken += taken;
      result.failed += failed;
    } catch (error) {
      notifyFailure(error);
      result.failed = conversations.length - result.taken;
      return result;
    } finally {
      hide();
    }
  }
  return result;
}

/** Where one cannot be read, the others of its batch are brought one by one. */
async function bringBatch(batch: readonly unknown[]): Promise<{ taken: number; failed: number }> {
  try {
    return { taken: (await chat.importSessions(batch)).length, failed: 0 };
  } catch (error) {
    const unreadable = error instanceof Failure && (error.status === 400 || error.status === 413);
    if (!unreadable) throw error;
    if (batch.length === 1) return { taken: 0, failed: 1 };
  }
  const result = { taken: 0, failed: 0 };
  for (const one of batch) {
    const { taken, failed } = await bringBatch([one]);
    result.taken += taken;
    result.failed += failed;
  }
  return result;
}

function batchesOf(conversations: readonly unknown[]): unknown[][] {
  const batches: unknown[][] = [[]];
  let characters = 0;
  for (const one of conversations) {
    const length = JSON.stringify(one)?.length ?? 0;
    const current = batches.at(-1) ?? [];
    if (current.length > 0 && (current.length >= MOST_AT_ONCE || characters + length > MOST_CHARACTERS)) {
      batches.push([one]);
      characters = length;
    } else {
      current.push(one);
      characters += length;
    }
  }
  return batches;
}
