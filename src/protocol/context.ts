import { z } from "zod";
import { inThousands } from "./in-thousands.ts";

// What requests to a model leave out or replace. The messages themselves are never changed.

/** A place between two parts of a session: right before the part with this index. */
const place = z.object({ messageId: z.string(), part: z.number() });

const names = z.array(z.string());

/** What text from outside and private data the model has read. See `Situation`. */
const taint = z.object({ outside: names, workspace: names, privateReads: names, suspicious: names });

const summary = z.object({
  /** It replaces everything before this place, except the message that is being answered there. */
  before: place,
  /** The oldest message that is still needed besides it. */
  from: z.string(),
  /** What the model is sent in its place. */
  text: z.string(),
  /** What a model wrote about it, to be merged into the next summary. Empty if none did. */
  notes: z.string(),
  /** The person's own words, oldest first. A higher rank is kept longer. */
  quotes: z.array(z.object({ text: z.string(), rank: z.number() })),
  filesRead: names,
  filesChanged: names,
  artifacts: names,
  todo: names,
  taint,
  /** How many messages it stands for. */
  messages: z.number(),
  /** The day that the model was last told before this place. */
  day: z.string().optional(),
  /** The state of the folder, likewise. */
  git: z.string().optional(),
});

const contextView = z.object({
  summary: summary.optional(),
  /** Results before this place are replaced by one line each. */
  pruned: place.optional(),
  /** Results before this place are cut to so many tokens. */
  shortened: z.object({ before: place, tokens: z.number() }).optional(),
});

export const compaction = z.object({
  messages: z.number(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  reason: z.enum(["window", "overflow", "asked"]),
  /** What writing the summary took, unless that is part of a run. */
  cost: z
    .object({
      model: z.string(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      cachedTokens: z.number().optional(),
      costUsd: z.number().optional(),
    })
    .optional(),
});

/** A change of what is sent, as the journal and the session keep it. It applies to the branches that contain its message. */
export const contextChange = z.object({ view: contextView, compaction, messageId: z.string() });

/** A summary that a model is sent instead of older messages, as its owner reads it. */
export const sessionSummary = z.object({
  createdAt: z.string(),
  /** How many messages it stands for. */
  messages: z.number(),
  ...compaction.pick({ tokensBefore: true, tokensAfter: true, reason: true }).shape,
  /** Markdown. */
  text: z.string(),
});

export type Place = z.infer<typeof place>;
export type Taint = z.infer<typeof taint>;
export type Summary = z.infer<typeof summary>;
export type Quote = Summary["quotes"][number];
export type ContextView = z.infer<typeof contextView>;
export type Compaction = z.infer<typeof compaction>;
export type ContextChange = z.infer<typeof contextChange>;
export type SessionSummary = z.infer<typeof sessionSummary>;

/** A change that is stored with a session. */
export interface StoredContext extends ContextChange {
  id: string;
  sessionId: string;
  /** Set if a person asked for it outside of a run: the message that was the newest then. */
  askedAfter?: string;
}

/** A change with the time at which it was stored. */
export interface DatedContext extends StoredContext {
  at: string;
}

/** Says in a sentence what a compaction did. */
export function describeCompaction({ messages, tokensBefore, tokensAfter }: Compaction): string {
  const what = messages === 1 ? "1 older message was" : `${messages} older messages were`;
  return `${what} shortened for the model: ${inThousands(tokensBefore)} → ${inThousands(tokensAfter)} tokens. Everything stays readable here.`;
}

/** What was learned about a model from its vendor's answers. */
export interface ModelMemory {
  /** How many tokens the vendor counts for each one that we estimate. */
  factor(): number;
  /** Compares an estimate with what the vendor reported. */
  noteUsage(estimated: number, reported: number): void;
  /** The context window, at most as large as declared. */
  window(declared: number | undefined): number;
  /** The vendor refused a request because it takes no more tokens than this. */
  noteWindow(tokens: number): void;
}
