import { createParser, type EventSourceParser } from "eventsource-parser";
import type { ChatEvent, ChatEventType } from "../protocol/events.ts";
import { parseObject } from "../protocol/json.ts";
import type { Patience } from "./patience.ts";

/** The frame after the last event. */
export const END = "end";

const KNOWN: Record<ChatEventType, true> = {
  session: true,
  content_delta: true,
  reasoning_delta: true,
  reasoning_step: true,
  reasoning_status: true,
  reasoning_complete: true,
  tool_call_start: true,
  tool_approval_required: true,
  tool_executing: true,
  tool_progress: true,
  tool_result: true,
  artifact_delta: true,
  artifact_complete: true,
  image_complete: true,
  web_search: true,
  retry_status: true,
  usage: true,
  tool_approval_decided: true,
  question_required: true,
  question_answered: true,
  user_message: true,
  context_compacted: true,
  run_continued: true,
  todo: true,
  child_run: true,
  title: true,
  warning: true,
  error: true,
  done: true,
};

/** A piece of this many bytes is not what a model says just now: the rest is read at once. */
const LARGE_PIECE = 16_384;

/** An event, or only its number if a newer server sent an unknown type. */
export type EventFrame<Event = ChatEvent> = { seq: number; event: Event | undefined };
/** Everything that had happened before was sent. */
export const LIVE = "live";
export type Frame<Event = ChatEvent> = EventFrame<Event> | typeof END | typeof LIVE;
type IsKnown<Event> = (event: object & { type: string }) => event is object & { type: string } & Event;

/** An open connection to the events of a run or an account. It reads only on demand, so a slow reader slows the server down. */
export class EventStream<Event = ChatEvent> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #frames: (Frame<Event> | Error)[] = [];
  readonly #parser: EventSourceParser;
  readonly #patience: Pick<Patience, "silenceMs" | "paceMs">;
  #nextRead = 0;

  constructor(
    body: ReadableStream<Uint8Array>,
    patience: Pick<Patience, "silenceMs" | "paceMs">,
    isKnown: IsKnown<Event>,
  ) {
    this.#parser = createParser({
      onEvent: ({ id, data }) => this.#frames.push(frameOf(id, data, isKnown)),
      onComment: (comment) => {
        if (comment.trim() === "live") this.#frames.push(LIVE);
      },
    });
    this.#reader = body.getReader();
    this.#patience = patience;
  }

  /** Returns the next frame, or undefined at the end. Rejects if the connection broke, fell silent or sent nonsense. */
  async next(): Promise<Frame<Event> | undefined> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame instanceof Error) throw frame;
      if (frame !== undefined) return frame;
      const early = this.#nextRead - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const { done, value } = await this.#read();
      if (done) return undefined;
      if (value.length < LARGE_PIECE) this.#nextRead = performance.now() + this.#patience.paceMs;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
  }

  /** Puts a frame back: `next` returns it again. */
  unread(frame: Frame<Event>): void {
    this.#frames.unshift(frame);
  }

  /** Closes the connection. */
  close(): void {
    // A broken connection rejects here; there is nothing left to close.
    this.#reader.cancel().catch(() => {});
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error("the connection fell silent")),
        this.#patience.silenceMs,
      );
      this.#reader
        .read()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

function frameOf<Event>(id: string | undefined, data: string, isKnown: IsKnown<Event>): Frame<Event> | Error {
  if (data === "[DONE]") return END;
  const seq = Number(id);
  const found = parseObject(data);
  if (!Number.isSafeInteger(seq) || seq < 1 || typeof found?.type !== "string") {
    return new Error("the server sent a frame that is not an event");
  }
  const event = { ...found, type: found.type };
  return { seq, event: isKnown(event) ? event : undefined };
}

/** True for an event of a run that this version knows. */
export function isRunEvent(event: object & { type: string }): event is ChatEvent {
  return Object.hasOwn(KNOWN, event.type);
}
