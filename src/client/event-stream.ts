import { createParser } from "eventsource-parser";
import type { ChatEvent, ChatEventType, LoggedEvent } from "../protocol/events.ts";
import { parseObject } from "../protocol/json.ts";

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

/** An event, or only its number if a newer server sent an unknown type. */
export type EventFrame = LoggedEvent | { seq: number; event: undefined };
/** Everything that had happened before was sent. */
export const LIVE = "live";
export type Frame = EventFrame | typeof END | typeof LIVE;
type Received = Frame | Error;

/** An open connection to a run's events. It reads only on demand, so a slow reader slows the server down. */
export class EventStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #frames: Received[] = [];
  readonly #parser = createParser({
    onEvent: ({ id, data }) => this.#frames.push(frameOf(id, data)),
    onComment: (comment) => {
      if (comment.trim() === "live") this.#frames.push(LIVE);
    },
  });
  readonly #silenceMs: number;

  constructor(body: ReadableStream<Uint8Array>, silenceMs: number) {
    this.#reader = body.getReader();
    this.#silenceMs = silenceMs;
  }

  /** Returns the next frame, or undefined at the end. Rejects if the connection broke, fell silent or sent nonsense. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame instanceof Error) throw frame;
      if (frame !== undefined) return frame;
      const { done, value } = await this.#read();
      if (done) return undefined;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
  }

  /** Puts a frame back: `next` returns it again. */
  unread(frame: Frame): void {
    this.#frames.unshift(frame);
  }

  /** Closes the connection. */
  close(): void {
    // A broken connection rejects here; there is nothing left to close.
    this.#reader.cancel().catch(() => {});
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("the connection fell silent")), this.#silenceMs);
      this.#reader
        .read()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

function frameOf(id: string | undefined, data: string): Received {
  if (data === "[DONE]") return END;
  const seq = Number(id);
  const event = parseObject(data);
  if (!Number.isSafeInteger(seq) || seq < 1 || typeof event?.type !== "string") {
    return new Error("the server sent a frame that is not an event");
  }
  return isKnown(event) ? { seq, event } : { seq, event: undefined };
}

function isKnown(event: object): event is ChatEvent {
  return "type" in event && typeof event.type === "string" && Object.hasOwn(KNOWN, event.type);
}
