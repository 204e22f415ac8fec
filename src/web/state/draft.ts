import { create } from "zustand";
import type { Attachment, TranscriptMessage } from "../../protocol/chat.ts";
import { notifyFailure } from "./notices.ts";
import { upload } from "./server.ts";

interface DraftState {
  text: string;
  attachments: Attachment[];
  /** A message that was sent already, which this one becomes another version of; what stood here before is kept. */
  editing?: { message: TranscriptMessage; before: Pick<DraftState, "text" | "attachments"> };
  /** Names of files that are on their way. */
  uploading: string[];
  /** Counts up whenever the message field is to be looked at. */
  focus: number;
}

/** The message that is being written. */
export const draft = create<DraftState>(() => ({ text: "", attachments: [], uploading: [], focus: 0 }));

/** Puts a text into the message field, ready to be changed. */
export function writeDraft(text: string, attachments: Attachment[] = []): void {
  draft.setState(({ focus }) => ({ text, attachments, focus: focus + 1 }));
}

/** Puts a message that was sent into the message field, to be changed and sent again. */
export function editMessage(message: TranscriptMessage): void {
  draft.setState(({ text, attachments, editing, focus }) => ({
    text: message.content,
    attachments: message.attachments ?? [],
    editing: { message, before: editing?.before ?? { text, attachments } },
    focus: focus + 1,
  }));
}

/** Leaves the message that was to be changed as it is; what stood in the field before comes back. */
export function stopEditing(): void {
  draft.setState(({ editing }) => ({ ...editing?.before, editing: undefined }));
}

/** Puts the cursor into the message field. */
export function focusDraft(): void {
  draft.setState(({ focus }) => ({ focus: focus + 1 }));
}

/** Uploads files and attaches them to the message. */
export async function attach(files: Iterable<File>): Promise<void> {
  await Promise.all(
    [...files].slice(0, 20).map(async (file) => {
      draft.setState(({ uploading }) => ({ uploading: [...uploading, file.name] }));
      try {
        const { fileId, mimeType, name, url } = await upload(file);
        draft.setState(({ attachments }) => ({
          attachments: [...attachments, { fileId, mimeType, name, url }].slice(0, 20),
        }));
      } catch (error) {
        notifyFailure(error);
      }
      draft.setState(({ uploading }) => {
        const at = uploading.indexOf(file.name);
        return { uploading: uploading.filter((_, index) => index !== at) };
      });
    }),
  );
}

/** Takes an attachment off the message again. */
export function detach(fileId: string): void {
  draft.setState(({ attachments }) => ({
    attachments: attachments.filter((attachment) => attachment.fileId !== fileId),
  }));
}
