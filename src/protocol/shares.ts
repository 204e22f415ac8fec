import { z } from "zod";
import type { ContainedPage } from "./artifacts.ts";
import type { StoredFile } from "./files.ts";
import type { Principal } from "./principal.ts";
import type { RunState } from "./reduce.ts";
import type { Session } from "./sessions.ts";
import { storedRunState } from "./stored-run.ts";

/** What a copy for others contains besides the words. */
export interface ShareOptions {
  /** Reasoning, calls, their results, and sources. */
  steps: boolean;
  /** The files that the person attached. */
  files: boolean;
  /** What looks like a key or a password is hidden. */
  hideKeys: boolean;
}

const days = z.number().int().min(1).max(365);
const options = {
  steps: z.boolean().optional(),
  files: z.boolean().optional(),
  hideKeys: z.boolean().optional(),
  days: days.optional().meta({ description: "After how many days the link ends. The default is 30." }),
};

/** The body of `POST /sessions/:id/share`. */
export const shareRequest = z.strictObject(options);
/** The body of `PATCH /shares/:id`. */
export const shareChange = z.strictObject({
  ...options,
  update: z
    .boolean()
    .optional()
    .meta({ description: "Copies the conversation as it is now, not as it was when it was shared." }),
});
export type ShareRequest = z.infer<typeof shareRequest>;
export type ShareChange = z.infer<typeof shareChange>;

/** A message in a copy. Files are named by their ids: a reader gets addresses that end with the link. */
export interface SharedMessage {
  role: "user" | "assistant";
  content: string;
  createdAt: string;
  model?: string;
  attachments?: { fileId: string; name: string; mimeType: string }[];
  /** What an answer shows. */
  state?: RunState;
}

/** A conversation as it was when it was shared. */
export interface SharedCopy {
  title: string;
  /** The name of who shared it. */
  by?: string;
  messages: SharedMessage[];
}

export const sharedCopy: z.ZodType<SharedCopy> = z.looseObject({
  title: z.string(),
  by: z.string().optional(),
  messages: z.array(
    z.looseObject({
      role: z.enum(["user", "assistant"]),
      content: z.string(),
      createdAt: z.string(),
      model: z.string().optional(),
      attachments: z
        .array(z.looseObject({ fileId: z.string(), name: z.string(), mimeType: z.string() }))
        .optional(),
      state: storedRunState.optional(),
    }),
  ),
});

/** What a copy holds, without the copy. */
export interface ShareFacts extends ShareOptions {
  title: string;
  messages: number;
  artifacts: number;
  /** How many texts look like keys. */
  keys: number;
}

export const shareFacts: z.ZodType<ShareFacts> = z.looseObject({
  title: z.string(),
  messages: z.number(),
  artifacts: z.number(),
  keys: z.number(),
  steps: z.boolean(),
  files: z.boolean(),
  hideKeys: z.boolean(),
});

/** A link that somebody made. */
export interface StoredShare {
  id: string;
  userId: string;
  sessionId: string;
  /** The newest message of the branch that was copied. */
  headId: string;
  facts: ShareFacts;
  createdAt: string;
  /** When the copy was made. */
  copiedAt: string;
  expiresAt: string;
}

/** How many links a person may have, and how many bytes of copies. */
export interface ShareBounds {
  links: number;
  bytes: number;
}

/** What is written when a copy is made. */
export interface NewCopy {
  headId: string;
  facts: ShareFacts;
  copy: SharedCopy;
}

/** Links in the database. Expired ones are not found. */
export interface ShareRows {
  /** Returns undefined if the person would have too many links, or too many bytes. */
  addShare(
    share: { id: string; userId: string; sessionId: string; tokenHash: string } & NewCopy,
    endsInMs: number,
    bounds: ShareBounds,
  ): Promise<StoredShare | undefined>;
  /** Replaces the copy behind a link. Returns undefined as `addShare` does. */
  replaceCopy(
    id: string,
    copy: NewCopy,
    endsInMs: number | undefined,
    bounds: ShareBounds,
  ): Promise<StoredShare | undefined>;
  getShare(id: string): Promise<StoredShare | undefined>;
  /** Returns the link with its copy. */
  findShare(tokenHash: string): Promise<(StoredShare & { copy: SharedCopy }) | undefined>;
  /** Returns a person's links, newest first. */
  listShares(userId: string): Promise<StoredShare[]>;
  removeShare(id: string): Promise<void>;
  /** Removes at most `limit` links that have ended. Returns how many. */
  clearShares(limit: number): Promise<number>;
}

/** A link as its owner sees it. */
export interface Share extends ShareFacts {
  id: string;
  sessionId: string;
  /** The address without the host: `/s/…`. */
  path: string;
  createdAt: string;
  copiedAt: string;
  expiresAt: string;
  /** The conversation continued after it was copied. */
  outdated?: boolean;
}

/** What sharing a conversation now would show. */
export interface SharePreview {
  messages: number;
  artifacts: number;
  keys: number;
  /** The types of the attached files. */
  files: string[];
  hasSteps: boolean;
  shares: Share[];
}

/** What a reader gets. */
export interface SharedPage {
  title: string;
  by?: string;
  sharedAt: string;
  expiresAt: string;
  messages: SharedMessage[];
}

/** Links to frozen copies, as the HTTP routes offer them. */
export interface Shares {
  of(principal: Principal): {
    list(): Promise<Share[]>;
    get(id: string): Promise<Share>;
    preview(sessionId: string): Promise<SharePreview>;
    share(sessionId: string, request: ShareRequest): Promise<Share>;
    change(id: string, change: ShareChange): Promise<Share>;
    remove(id: string): Promise<Share>;
    /** Copies what is behind a link into a conversation of this person. */
    continue(token: string): Promise<Session>;
  };
  /** What is behind a link. Throws NOT_FOUND. */
  read(token: string): Promise<SharedPage>;
  /** A file of the copy. Throws NOT_FOUND. */
  file(token: string, fileId: string): Promise<StoredFile>;
  /** The page of an artifact in the copy. Throws NOT_FOUND. */
  artifact(token: string, toolCallId: string, origin: string): Promise<ContainedPage>;
}
