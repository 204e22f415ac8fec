import type { Attachment } from "../../protocol/chat.ts";
import { Failure } from "../../protocol/failure.ts";
import { t } from "../text/t.ts";
import { type Reason, reasonAgainst, reasonAgainstType } from "./attachable.ts";
import { connection, isCutOff } from "./connection.ts";
import { type Draft, draft } from "./draft.ts";
import { keepFile } from "./drafts.ts";
import { notify, sentenceOf } from "./notices.ts";
import { person, refreshMe } from "./person.ts";
import { upload } from "./server.ts";
import { beginUpload, endUpload, goesToShown } from "./uploads.ts";

let count = 0;

/** Uploads files and attaches them to the message. Those that can't be used stay beside it with the reason. */
export async function attach(files: Iterable<File>, to: Draft = draft): Promise<void> {
  const chosen = [...files];
  // A page that was just opened does not know yet what the person may attach. Offline, the server says so later.
  if (!person.getState().me) await refreshMe().catch(() => undefined);
  let before: Promise<unknown> = Promise.resolve();
  for (const file of chosen) before = Promise.all([before, attachOne(file, to, before)]);
  await before;
}

/** Attaches a file after all before it, whichever is uploaded or refused first. */
async function attachOne(file: File, to: Draft, before: Promise<unknown>): Promise<void> {
  const key = `file-${++count}`;
  const { name } = file;
  const refuse = (reason: string) =>
    to.setState(({ refused }) => ({ refused: [...refused, { key, name, reason }] }));
  const refuseLater = (reason: string): void => {
    if (goesToShown(key)) refuse(reason);
    else notify({ text: `${name}: ${reason}`, kind: "error" });
  };
  const { accepts } = person.getState().me ?? {};
  const most = accepts?.files ?? Number.POSITIVE_INFINITY;
  const { attachments, uploading } = to.getState();
  // Counted before anything is awaited, so that files chosen together are counted one by one.
  if (attachments.length + uploading.length >= most) return leaveOut({ key, name }, most, to);
  const signal = beginUpload(key, name, to);
  let uploaded: Attachment | undefined;
  try {
    const reason = accepts && (await reasonAgainst(file, accepts));
    if (reason) return refuseLater(said(reason));
    const stored = await upload(file, "/files", signal);
    const found = accepts && reasonAgainstType(stored.mimeType, accepts);
    if (found) return refuseLater(said(found));
    await before;
    uploaded = stored;
  } catch (error) {
    if (!signal.aborted) refuseLater(whyNotUploaded(error));
  } finally {
    endUpload(key, uploaded, keepFile);
  }
}

/** Says once that there are more files than a message can have, and how many. */
function leaveOut(file: { key: string; name: string }, most: number, from: Draft): void {
  const reason = t("tooManyFiles", { count: most });
  from.setState(({ refused }) => {
    const before = refused.find(({ surplus }) => surplus !== undefined);
    const surplus = (before?.surplus ?? 0) + 1;
    const name = before ? t("moreFiles", { count: surplus }) : file.name;
    const others = refused.filter((one) => one !== before);
    return { refused: [...others, { key: before?.key ?? file.key, name, reason, surplus }] };
  });
}

/** What a browser says about a file or the network is neither a sentence for people nor in their language. */
export function whyNotUploaded(error: unknown): string {
  if (error instanceof Failure) return sentenceOf(error);
  return t(isCutOff(connection.getState()) ? "unreachableTitle" : "fileNotRead");
}

function said({ key, values }: Reason): string {
  return t(key, values);
}

/** Attaches a text that is too long for the message. Returns false if it fits. */
export function attachIfTooLong(pasted: string, rest: number, to: Draft = draft): boolean {
  const { accepts } = person.getState().me ?? {};
  if (!accepts || rest + pasted.length <= accepts.characters) return false;
  void attach([new File([pasted], t("pastedName"), { type: "text/plain" })], to);
  return true;
}

/** Removes an attachment from the message. */
export function detach(fileId: string, from: Draft): void {
  from.setState(({ attachments }) => ({
    attachments: attachments.filter((attachment) => attachment.fileId !== fileId),
  }));
}

/** Forgets a file that can't be used. */
export function forget(key: string, from: Draft): void {
  from.setState(({ refused }) => ({ refused: refused.filter((one) => one.key !== key) }));
}
