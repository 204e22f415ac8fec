import { Failure } from "../../protocol/failure.ts";
import { BROKEN_OFF, type EmitModelEvent, type ModelRequest, type Price } from "../../protocol/model.ts";
import type { AnswerReader, Dialect, DialectContext } from "../../protocol/provider.ts";
import { cutOff, explained, readComplaint, readErrorBody, unreadable, vendorFailure } from "./failures.ts";
import { normalizeUsage } from "./usage.ts";

/** Passes the events of one answer on. Exactly one `finish` or `failure` goes out, and it is the last event. */
export interface AnswerEvents {
  emit: EmitModelEvent;
  fail(failure: Failure): void;
  /** A plain property, because it is read for every packet and a getter would cost a call each time. */
  over: boolean;
}

/** Guards the events of one answer, with the cost added to its usage. */
export function guardEvents(emit: EmitModelEvent, price: Price | undefined): AnswerEvents {
  const events: AnswerEvents = {
    over: false,
    emit(event) {
      if (events.over) return;
      if (event.type === "finish" || event.type === "failure") events.over = true;
      if (event.type === "usage") emit({ type: "usage", usage: normalizeUsage(event.usage, price) });
      else emit(event);
    },
    fail: (failure) => events.emit({ type: "failure", failure }),
  };
  return events;
}

/** One answer being read. Nothing here throws, whatever the bytes are. */
export interface Answer extends AnswerEvents {
  /** One SSE event. */
  frame(data: string, event: string | undefined): void;
  /** A whole JSON answer instead of a stream. */
  whole(body: unknown): void;
  /** The input is over. `text` is what came in place of events. */
  end(text?: string): void;
}

/** Opens the reading of one answer. */
export function openAnswer(
  dialect: Dialect,
  context: DialectContext,
  request: ModelRequest,
  emit: EmitModelEvent,
): Answer {
  const events = guardEvents(emit, context.model.price);
  const { fail: report } = events;
  const reader = dialect.reader(events.emit, context, request);
  const seen: Seen = { last: undefined };

  /** Whole calls of an answer that broke off are run: the model continues from their results. */
  function giveUp(given: Failure): void {
    const failure = explained(given, seen.last, context);
    const parts = failure.retryable && !events.over ? (reader.soFar?.() ?? []) : [];
    const called = parts.some(({ type }) => type === "tool_call");
    if (called) events.emit({ type: "finish", reason: "tool_calls", rawReason: BROKEN_OFF, parts });
    else report(failure);
  }

  function fail(thrown: unknown): void {
    giveUp(thrown instanceof Failure ? thrown : unreadable(context, thrown));
  }

  /** Nothing is missing if the input breaks off after the reason why the answer ended. */
  function breakOff(failure: Failure): void {
    const isWhole = !events.over && failure.retryable && reader.isWhole?.();
    try {
      if (isWhole) reader.end?.();
      else giveUp(failure);
    } catch (thrown) {
      fail(thrown);
    }
  }

  return Object.assign(events, {
    fail: breakOff,
    frame(data: string, event: string | undefined) {
      if (events.over) return;
      try {
        if (!readFrame(reader, data, event, context, seen)) breakOff(unreadable(context));
      } catch (thrown) {
        fail(thrown);
      }
    },
    whole(body: unknown) {
      if (events.over) return;
      seen.last = body;
      try {
        reader.whole(body);
      } catch (thrown) {
        fail(thrown);
      }
    },
    end(text?: string) {
      if (events.over) return;
      seen.last ??= text;
      try {
        reader.end?.();
      } catch (thrown) {
        fail(thrown);
      }
      breakOff(cutOff(context));
    },
  });
}

/** What came last may be the reason why nothing more did. */
interface Seen {
  last: unknown;
}

/** Returns false if a frame cannot be read: skipping it would leave a hole in the text. */
function readFrame(
  reader: AnswerReader,
  data: string,
  event: string | undefined,
  context: DialectContext,
  seen: Seen,
): boolean {
  if (data === "") return true;
  if (data.startsWith("[DONE]")) {
    const complaint = reader.isWhole?.() ? undefined : readComplaint(seen.last);
    if (complaint) throw vendorFailure(complaint, context);
    reader.done?.();
    return true;
  }
  let body: unknown;
  try {
    body = JSON.parse(data);
  } catch {
    if (/^\s+\[DONE\]/.test(data)) return readFrame(reader, data.trimStart(), event, context, seen);
    if (event === "error") throw vendorFailure(readErrorBody(data), context);
    // Proxies that wrap events in events write the field's name twice.
    const [inner] = /(?<=^data:\s*)\S.*$/s.exec(data) ?? [];
    if (inner !== undefined) return readFrame(reader, inner, event, context, seen);
    // Words such as `ping` keep the connection open. Every part of an answer is an object or a list.
    return !/^\s*[{[]/.test(data);
  }
  if (typeof body !== "object" || body === null) return true;
  seen.last = body;
  reader.frame(body, event);
  if (event === "error") throw vendorFailure(readErrorBody(data), context);
  return true;
}

/** Runs one answer until it ends or is stopped. Work that ignores its signal is not waited for. */
export async function runStoppable(
  signal: AbortSignal,
  fail: (failure: Failure) => void,
  work: (upstream: AbortSignal, stop: (failure: Failure) => void) => Promise<void>,
): Promise<void> {
  const upstream = new AbortController();
  const stopped = Promise.withResolvers<void>();
  const stop = (failure: Failure) => {
    fail(failure);
    upstream.abort(signal.reason);
    stopped.resolve();
  };
  const cancel = () =>
    stop(new Failure("CANCELLED", "It was stopped before it finished.", { retryable: false }));
  if (signal.aborted) return cancel();
  signal.addEventListener("abort", cancel, { once: true });
  await Promise.race([work(upstream.signal, stop), stopped.promise]);
  signal.removeEventListener("abort", cancel);
}

/** How long an upstream may take, in milliseconds. The transport limits the time to connect. */
export interface Deadlines {
  /** Until the answer begins. */
  firstByteMs: number;
  /** Silence between two packets. */
  idleMs: number;
  /** For the whole answer. */
  totalMs: number;
}

/** Fills in the defaults. An answer may take four times the idle limit to begin. */
export function completeDeadlines(given: Partial<Deadlines> = {}): Deadlines {
  const idleMs = given.idleMs ?? 30_000;
  return { idleMs, firstByteMs: given.firstByteMs ?? idleMs * 4, totalMs: given.totalMs ?? 900_000 };
}

export type MissedDeadline = "first_byte" | "idle" | "total";

/** Watches one answer. `alive` is called for every packet, so it only reads the clock. */
export interface DeadlineWatch {
  alive(): void;
  /** Waits for a first byte again, after another request was sent. */
  restart(): void;
  stop(): void;
}

/** Starts the timers. `onMiss` is called at most once. */
export function watchDeadlines(
  deadlines: Deadlines,
  onMiss: (missed: MissedDeadline) => void,
): DeadlineWatch {
  let lastSign: number | undefined;
  let stopped = false;
  let silence = waitForFirstByte();
  const total = setTimeout(() => miss("total"), deadlines.totalMs);

  function waitForFirstByte(): ReturnType<typeof setTimeout> {
    return setTimeout(() => miss("first_byte"), deadlines.firstByteMs);
  }

  function stop(): void {
    stopped = true;
    clearTimeout(silence);
    clearTimeout(total);
  }

  function miss(missed: MissedDeadline): void {
    stop();
    onMiss(missed);
  }

  // One timer checks when the last packet came. Setting a new timer for every packet would cost more.
  function checkSilence(): void {
    const left = deadlines.idleMs - (performance.now() - (lastSign ?? 0));
    if (left <= 0) miss("idle");
    else silence = setTimeout(checkSilence, left);
  }

  return {
    alive() {
      if (stopped) return;
      if (lastSign === undefined) {
        clearTimeout(silence);
        silence = setTimeout(checkSilence, deadlines.idleMs);
      }
      lastSign = performance.now();
    },
    restart() {
      if (stopped) return;
      clearTimeout(silence);
      lastSign = undefined;
      silence = waitForFirstByte();
    },
    stop,
  };
}
