import { z } from "zod";

/** What people can be told of: something waits for their decision or answer, an answer is complete, or it failed. */
export const NOTICE_KINDS = ["waiting", "done", "failed"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** A browser's subscription as `PushSubscription.toJSON()` gives it, and what it wants to be told. */
export const pushRequest = z.object({
  endpoint: z.url().max(2_000),
  expirationTime: z.number().nullish(),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
  kinds: z
    .array(z.enum(NOTICE_KINDS))
    .max(NOTICE_KINDS.length)
    .default([...NOTICE_KINDS]),
  /** Whether the title of the conversation is sent along. */
  titles: z.boolean().default(true),
});
export type PushRequest = z.infer<typeof pushRequest>;

/** Names the subscription to remove. Without an address, all of them. */
export const pushRemoval = z.object({ endpoint: z.string().max(2_000).optional() });

/** A subscription as its owner sees it. */
export const pushListing = z.object({
  id: z.string(),
  endpoint: z.string(),
  kinds: z.array(z.enum(NOTICE_KINDS)),
  titles: z.boolean(),
  createdAt: z.string(),
});
export type PushListing = z.infer<typeof pushListing>;

/** Notices to people's browsers. */
export interface Push {
  /** What browsers need to subscribe. */
  publicKey: string;
  list(userId: string): Promise<PushListing[]>;
  /** Stores a subscription. Throws INVALID_INPUT. */
  subscribe(userId: string, request: PushRequest): Promise<PushListing>;
  unsubscribe(userId: string, endpoint?: string): Promise<void>;
}

/** Something that happened in a run and that somebody outside may want to know. */
export interface RunNotice {
  /** The same for every attempt to tell it. */
  id: string;
  kind: NoticeKind;
  userId: string;
  sessionId: string;
  runId: string;
  /** What waits, if something does. */
  waitsFor?: "approval" | "question";
  toolCallId?: string;
  finishReason?: string;
}
