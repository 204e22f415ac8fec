import { deflateSync, inflateSync } from "node:zlib";
import { z } from "zod";
import { Failure } from "../protocol/failure.ts";
import { GrowingText } from "../protocol/growing.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";
import { readStored } from "../protocol/stored.ts";

// When a run has ended, its transcript holds almost everything that its events say. Folded events are what is missing to
// repeat them byte for byte: where one delta ended and the next began, and the events that are no deltas. Text is a place in
// the transcript. The transcript is the JSON of the answer's state exactly as it is stored, which never changes.

/** Deltas of one kind in a row: what is before and after the text of each, how long each text is, and the text of all. */
interface DeltaGroup {
  before: string;
  after: string;
  lengths: number[];
  text: GrowingText;
}

const deltas = z.tuple([
  z.string(),
  z.string(),
  z.array(z.int().nonnegative()),
  // The text, or its place in the transcript.
  z.union([z.string(), z.int().nonnegative()]),
]);
const foldedEvents = z.array(z.union([z.string(), deltas]));

const IS_DELTA = /^\{"type":"(?:content_delta|reasoning_delta|artifact_delta|tool_progress)"/;
/** Quotes inside of a string are escaped, so this finds the key itself. */
const TEXT_BEGINS = /"(?:content|reasoning_content|delta|chunk)":"/;
const STRING_ENDS = /(?:[^"\\]|\\.)*/y;
/** The most bytes that the compression can refer back to. */
const WINDOW = 32_768;

/** The events of a run, collected while they are written. It needs a few bytes for each. */
export class CollectedEvents {
  count = 0;
  readonly #groups: (string | DeltaGroup)[] = [];
  #last: DeltaGroup | undefined;

  /** Adds the next event. */
  add(json: string): void {
    this.count++;
    if (this.#last && addTo(this.#last, json)) return;
    this.#last = groupOf(json);
    this.#groups.push(this.#last ?? json);
  }

  /** Returns the events without what the transcript has. */
  fold(transcript: string): Uint8Array {
    let from = 0;
    const groups = this.#groups.map((group) => {
      if (typeof group === "string") return group;
      const text = group.text.toString();
      const place = placeOf(text, transcript, from);
      if (place !== undefined) from = place + text.length;
      return [group.before, group.after, group.lengths, place ?? text];
    });
    return deflateSync(JSON.stringify(groups), { dictionary: dictionaryOf(transcript) });
  }
}

/** Returns the events of a run that has ended, as its followers have seen them. */
export function unfoldEvents(bytes: Uint8Array, transcript: string): EncodedEvent[] {
  const lines: string[] = [];
  for (const group of readGroups(bytes, transcript)) {
    if (typeof group === "string") {
      lines.push(group);
      continue;
    }
    const [before, after, lengths, content] = group;
    const text = typeof content === "string" ? content : transcript;
    let at = typeof content === "string" ? 0 : content;
    for (const length of lengths) {
      lines.push(before + text.slice(at, at + length) + after);
      at += length;
    }
  }
  return lines.map((json, index) => ({ seq: index + 1, json }));
}

function readGroups(bytes: Uint8Array, transcript: string): z.infer<typeof foldedEvents> {
  try {
    const json = inflateSync(bytes, { dictionary: dictionaryOf(transcript) }).toString();
    return readStored(foldedEvents, JSON.parse(json), "The events of a run");
  } catch (cause) {
    throw new Failure("INTERNAL", "The events of a run cannot be read from the database.", { cause });
  }
}

function groupOf(json: string): DeltaGroup | undefined {
  const begin = IS_DELTA.test(json) ? TEXT_BEGINS.exec(json) : null;
  if (!begin) return undefined;
  STRING_ENDS.lastIndex = begin.index + begin[0].length;
  STRING_ENDS.exec(json);
  const group = {
    before: json.slice(0, begin.index + begin[0].length),
    after: json.slice(STRING_ENDS.lastIndex),
    lengths: [],
    text: new GrowingText(),
  };
  addTo(group, json);
  return group;
}

/** Returns false if the event does not have what is before and after the text of the others. */
function addTo({ before, after, lengths, text }: DeltaGroup, json: string): boolean {
  const length = json.length - before.length - after.length;
  if (length < 0 || !json.startsWith(before) || !json.endsWith(after)) return false;
  lengths.push(length);
  text.add(json.slice(before.length, json.length - after.length));
  return true;
}

/** Returns where the transcript has a text: after what came before it, or anywhere. */
function placeOf(text: string, transcript: string, from: number): number | undefined {
  const next = transcript.indexOf(text, from);
  const place = next === -1 ? transcript.indexOf(text) : next;
  return place === -1 ? undefined : place;
}

function dictionaryOf(transcript: string): Buffer | undefined {
  return transcript === "" ? undefined : Buffer.from(transcript.slice(-WINDOW)).subarray(-WINDOW);
}
