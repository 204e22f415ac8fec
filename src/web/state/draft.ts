import { create } from "zustand";
import type { Attachment, TranscriptMessage } from "../../protocol/chat.ts";

interface RefusedFile {
  key: string;
  name: string;
  reason: string;
  /** For how many files it stands, if these are more than a message can have. */
  surplus?: number;
}

interface DraftState {
  text: string;
  attachments: Attachment[];
  /** Files that are being uploaded. */
  uploading: { key: string; name: string }[];
  /** Files that can't be used, and why. */
  refused: RefusedFile[];
  /** Counts up whenever the message field should get the focus. */
  focus: number;
  /** It is sent like this as soon as its files are uploaded, and the server that writes an answer can be reached. */
  sending?: "now" | "after" | undefined;
  /** The sent message of which this is a new version. */
  message?: TranscriptMessage | undefined;
  /** The person came from the message field and returns to it. */
  fromField?: boolean;
}

/** A message that is being written, with its files. */
export type Draft = typeof draft;

const EMPTY: DraftState = { text: "", attachments: [], uploading: [], refused: [], focus: 0 };

/** The message that is being written. */
export const draft = create<DraftState>(() => EMPTY);

/** The new version of a sent message that is being written in its place in the log. */
export const revision = create<DraftState>(() => EMPTY);

/** Puts a text into the message field. */
export function writeDraft(text: string, attachments: Attachment[] = []): void {
  draft.setState(({ focus }) => ({ text, attachments, focus: focus + 1 }));
}

/** Puts words below those that are already there. */
export function addToDraft(words: string): void {
  const { text, attachments } = draft.getState();
  writeDraft(text.trim() === "" ? words : `${text.trimEnd()}\n\n${words}`, attachments);
}

/** Opens a sent message to write a new version of it. */
export function editMessage(message: TranscriptMessage, { fromField = false } = {}): void {
  const { content: text, attachments = [] } = message;
  revision.setState(({ focus }) => ({ ...EMPTY, text, attachments, message, fromField, focus: focus + 1 }));
}

/** Leaves a sent message as it was. */
export function stopEditing(): void {
  const { fromField } = revision.getState();
  revision.setState({ ...EMPTY, message: undefined });
  if (fromField) focusDraft();
}

/** Moves the focus to the message field. */
export function focusDraft(): void {
  draft.setState(({ focus }) => ({ focus: focus + 1 }));
}

/** Returns true if there is something to send, and everything for it is uploaded. */
export function isReady({ text, attachments, uploading }: DraftState): boolean {
  return (text.trim() !== "" || attachments.length > 0) && uploading.length === 0;
}

/** Returns true if nothing is written, and no file is there or on its way. */
export function isEmpty({ text, attachments, uploading }: DraftState): boolean {
  return text.trim() === "" && attachments.length + uploading.length === 0;
}
