import { z } from "zod";
import { MAX_ATTACHMENTS } from "./message-limits.ts";

/** Longer ones stay in the browser. */
export const MAX_DRAFT_CHARACTERS = 8_000;

const attachment = z.strictObject({
  fileId: z.string().min(1).max(200),
  mimeType: z.string().max(200),
  name: z.string().max(300).optional(),
});

/** The body of `PUT /me/drafts/:id`. Without text and files, the draft is removed. */
export const draftRequest = z.strictObject({
  text: z.string().max(MAX_DRAFT_CHARACTERS, `at most ${MAX_DRAFT_CHARACTERS} characters`),
  attachments: z.array(attachment).max(MAX_ATTACHMENTS).optional(),
});
export type DraftRequest = z.output<typeof draftRequest>;

export const storedDraft = draftRequest.extend({ updatedAt: z.string() });

/** Stands for a session that does not exist yet. */
export const NEW_CHAT = "new";

/** What somebody has written in a conversation and not sent. */
export interface Draft extends z.output<typeof storedDraft> {
  /** The session, or `new`. */
  id: string;
}

/** Where the draft of a session is stored among the settings of its owner. */
export function draftSetting(id: string): string {
  return `draft:${id}`;
}

/** The drafts of people. Methods throw `Failure`. */
export interface Drafts {
  /** Newest first. */
  list(userId: string): Promise<Draft[]>;
  /** The oldest makes room for a new one. */
  put(userId: string, id: string, draft: DraftRequest): Promise<void>;
}
