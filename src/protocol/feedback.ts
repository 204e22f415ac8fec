import { z } from "zod";

/** The body of `POST /messages/:id/feedback`. */
export const feedbackRequest = z.strictObject({
  value: z.union([z.literal(1), z.literal(-1)]).meta({ description: "1: good. -1: bad." }),
  note: z.string().trim().max(2_000).optional(),
});

/** What a person thinks of an answer. */
export interface Feedback {
  value: 1 | -1;
  note?: string;
}

/** Feedback with what an administrator needs to make use of it. */
export interface StoredFeedback extends Feedback {
  messageId: string;
  userId: string;
  model: string;
  at: string;
}

/** How many answers people liked, and how many they did not. */
export interface FeedbackCount {
  up: number;
  down: number;
}

/** What people thought of a model's answers in a quarter of an hour. */
export interface FeedbackSlice extends FeedbackCount {
  /** Start of the quarter hour, in epoch milliseconds. */
  at: number;
  model: string;
}

/** What people thought of answers in a period. */
export interface FeedbackReport {
  models: (FeedbackCount & { model: string })[];
  /** The newest with a note. */
  notes: (StoredFeedback & { user: string })[];
  days: (FeedbackCount & { day: string })[];
  /** Instead of days, if they were asked for. */
  hours?: (FeedbackCount & { at: string })[];
}

/** Feedback in the database: one row per person and message. */
export interface FeedbackRows {
  /** Replaces what the person said before. */
  saveFeedback(feedback: Omit<StoredFeedback, "at">): Promise<void>;
  removeFeedback(messageId: string, userId: string): Promise<void>;
  /** Returns what a person said about the messages of a session. */
  listFeedback(sessionId: string, userId: string): Promise<StoredFeedback[]>;
  /** Counts the feedback of the last `withinMs`, by quarter of an hour and model. */
  countFeedback(withinMs: number): Promise<FeedbackSlice[]>;
  /** Returns the newest feedback with a note of the last `withinMs`. */
  listNotes(withinMs: number, limit: number): Promise<StoredFeedback[]>;
}
