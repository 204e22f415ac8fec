import { create } from "zustand";
import type { Attachment, TranscriptMessage } from "../../protocol/chat.ts";
import { attempt } from "./notices.ts";
import { upload } from "./server.ts";

interface DraftState {
  text: string;
  attachments: Attachment[];
  /** The message that is being edited, and the draft from before. */
  editing?: { message: TranscriptMessage; before: Pick<DraftState, "text" | "attachments"> };
  /** Names of files that are being uploaded. */
  uploading: string[];
  /** Counts up whenever the message field should get the focus. */
  focus: number;
}

const MAX_ATTACHMENTS = 20;

/** The message that is being written. */
export const draft = create<DraftState>(() => ({ text: "", attachments: [], uploading: [], focus: 0 }));

/** Puts a text into the message field. */
export function writeDraft(text: string, attachments: Attachment[] = []): void {
  draft.setState(({ focus }) => ({ text, attachments, focus: focus + 1 }));
}

/** Puts a sent message into the message field to edit and send it again. */
export function editMessage(message: TranscriptMessage): void {
  draft.setState(({ text, attachments, editing, focus }) => ({
    text: message.content,
    attachments: message.attachments ?? [],
    editing: { message, before: editing?.before ?? { text, attachments } },
    focus: focus + 1,
  }));
}

/** Stops editing and restores the draft from before. */
export function stopEditing(): void {
  draft.setState(({ editing }) => ({ ...editing?.before, editing: undefined }));
}

/** Moves the focus to the message field. */
export function focusDraft(): void {
  draft.setState(({ focus }) => ({ focus: focus + 1 }));
}

/** Uploads files and attaches them to the message. */
export async function attach(files: Iterable<File>): Promise<void> {
  await Promise.all([...files].slice(0, MAX_ATTACHMENTS).map(attachOne));
}

async function attachOne(file: File): Promise<void> {
  draft.setState(({ uploading }) => ({ uploading: [...uploading, file.name] }));
  await attempt(async () => {
    const uploaded = await upload(file);
    draft.setState(({ attachments }) => ({
      attachments: [...attachments, uploaded].slice(0, MAX_ATTACHMENTS),
    }));
  });
  draft.setState(({ uploading }) => ({ uploading: uploading.toSpliced(uploading.indexOf(file.name), 1) }));
}

/** Removes an attachment from the message. */
export function detach(fileId: string): void {
  draft.setState(({ attachments }) => ({
    attachments: attachments.filter((attachment) => attachment.fileId !== fileId),
  }));
}
