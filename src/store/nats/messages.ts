import { z } from "zod";
import type { EncodedEvent } from "../../protocol/run-records.ts";

// A message holds the events of one commit of a run, as lines of JSON below a line with the process that wrote it, the owner's
// epoch and the number of the first event. One without events is a fence: from then on only that owner can append.

const head = z.object({ by: z.string(), epoch: z.number(), firstSeq: z.number() });

/** A message of a run, as it is stored. */
export interface StoredMessage {
  by: string;
  epoch: number;
  firstSeq: number;
  events: string[];
  /** Its number in the run. */
  number: number;
}

export interface NewMessage {
  /** Letters and digits. */
  by: string;
  epoch: number;
  firstSeq: number;
  events: readonly string[];
}

/** Encodes a message. */
export function encodeMessage({ by, epoch, firstSeq, events }: NewMessage): string {
  // A line break in JSON is white space; those in strings are escaped.
  const lines = events.map((json) => (json.includes("\n") ? json.replaceAll("\n", " ") : json));
  return [`{"by":"${by}","epoch":${epoch},"firstSeq":${firstSeq}}`, ...lines].join("\n");
}

/** Decodes a message with this number. Throws if it is not one of ours. */
export function decodeMessage(text: string, number: number): StoredMessage {
  const [first = "", ...events] = text.split("\n");
  return { ...head.parse(JSON.parse(first)), events, number };
}

/** The number of the last event up to and including this message. */
export function lastSeqOf({ firstSeq, events }: Pick<NewMessage, "firstSeq" | "events">): number {
  return firstSeq + events.length - 1;
}

/** Returns the events of a message after this number. */
export function eventsAfter({ firstSeq, events }: StoredMessage, after: number): EncodedEvent[] {
  const skipped = Math.max(0, after + 1 - firstSeq);
  return events.slice(skipped).map((json, index) => ({ seq: firstSeq + skipped + index, json }));
}
