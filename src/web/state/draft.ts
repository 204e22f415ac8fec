import { create } from "zustand";
import type { Attachment, TranscriptMessage } from "../../protocol/chat.ts";

interface DraftState {
  text: string;
  attachments: Attachment[];
  /** The message that is being edited, and the draft from before. */
  editing?: { message: TranscriptMessage; before: Pick<DraftState, "text" | "attachments"> };
  /** Files that are being uploaded. */
  uploading: { key: string; name: string }[];
  /** Files that can't be used, and why. */
  refused: { key: string; name: string; reason: string }[];
  /** Counts up whenever the message field should get the focus. */
  focus: number;
}

/** The message that is being written. */
export const draft = create<DraftState>(() => ({
  text: "",
  attachments: [],
  uploading: [],
  refused: [],
  focus: 0,
}));

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

/** Returns true if there is something to send, and everything for it is uploaded. */
export function isReady({ text, attachments, uploading }: DraftState): boolean {
  return (text.trim() !== "" || attachments.length > 0) && uploading.length === 0;
}
