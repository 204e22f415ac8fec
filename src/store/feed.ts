import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChatEvent } from "../protocol/events.ts";
import type { CommitListener, Feed, Journal } from "../protocol/journal.ts";
import { clearedEvents } from "../protocol/run-events.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import type { Store } from "../protocol/store.ts";

const PAGE = 500;

/** Creates the feed. What this process commits goes straight to followers; everything else is read from the store. */
export function createFeed(store: Store, journal: Journal): Feed {
  return {
    async follow(runId, after, onEvents, signal, onLive) {
      if (signal.aborted) return;
      const follower = new Follower(after, onEvents, onLive);
      // Listening and watching start before the first read, so that no event is missed in between.
      const stopListening = journal.listen(runId, follower);
      let stopWatching: (() => void) | undefined;
      // The journal reports what this process writes.
      const wake = () => {
        if (!journal.isOpen(runId)) follower.wake();
      };
      const watchOthers = () => {
        if (!journal.isOpen(runId)) stopWatching ??= store.watch(runId, wake);
      };
      const abort = () => follower.end();
      signal.addEventListener("abort", abort, { once: true });
      try {
        if (after === 0) await beginWithFirst(journal, runId, follower);
        await catchUp(store, runId, follower, watchOthers);
      } finally {
        signal.removeEventListener("abort", abort);
        stopListening();
        stopWatching?.();
      }
    },
  };
}

/** What this process has just begun to write does not have to be read. */
async function beginWithFirst(journal: Journal, runId: string, follower: Follower): Promise<void> {
  await undefined; // Nothing is delivered before `follow` returns.
  const events = journal.beginning(runId);
  if (!events || follower.ended) return;
  follower.first = events[0];
  follower.deliver(events);
  follower.caughtUp();
  await follower.woken();
}

/** Reads what the follower is missing, each time it is woken, until the last event was delivered. */
async function catchUp(
  store: Store,
  runId: string,
  follower: Follower,
  beforeRead: () => void,
): Promise<void> {
  /** The follower's last event is read again at first: a power cut may have taken it. */
  let known = follower.delivered;
  while (!follower.ended) {
    follower.beginRead();
    beforeRead();
    // A run whose request is long takes long to read.
    await pauseIfLong();
    // In this order: if the run is over before the read, the read sees all of its events.
    const run = await store.getRun(runId);
    if (!run) return follower.deliverDeleted();
    follower.messageId = run.messageId;
    if (run.eventsCleared) {
      const events = await clearedEvents(store, run);
      if (known > 0) follower.startOver();
      follower.deliver(events.map(({ seq, event }) => ({ seq, json: JSON.stringify(event) })));
      return;
    }
    const page = await store.readEvents(runId, known > 0 ? known - 1 : follower.delivered, PAGE);
    if (follower.ended) break;
    if (known > 0 && page.length === 0) {
      follower.startOver();
      known = 0;
      continue;
    }
    known = 0;
    follower.deliver(page);
    if (page.length === PAGE) await nextTurn();
    else if (run.status === "running" || run.status === "waiting") {
      follower.caughtUp();
      await follower.woken();
    } else return;
  }
  follower.rethrow();
}

/** One reader of a run. It knows what was delivered, and skips what comes twice. */
class Follower implements CommitListener {
  delivered: number;
  ended = false;
  /** The answer that the run writes, or the event that names it: what was read first. */
  messageId: string | undefined;
  first: EncodedEvent | undefined;
  readonly #onEvents: (events: readonly EncodedEvent[]) => void;
  #thrown: { error: unknown } | undefined;
  #stale = false;
  #resume: (() => void) | undefined;
  #onLive: (() => void) | undefined;

  constructor(
    after: number,
    onEvents: (events: readonly EncodedEvent[]) => void,
    onLive: (() => void) | undefined,
  ) {
    this.delivered = after;
    this.#onEvents = onEvents;
    this.#onLive = onLive;
  }

  /** All stored events were delivered. */
  caughtUp(): void {
    this.#onLive?.();
    this.#onLive = undefined;
  }

  /** Delivers the events that come next. Returns false if there is a gap before them. */
  deliver(events: readonly EncodedEvent[]): boolean {
    const last = events.at(-1);
    if (this.ended || !last || last.seq <= this.delivered) return true;
    const fresh = events[0]?.seq === this.delivered + 1 ? events : after(events, this.delivered);
    if (fresh[0]?.seq !== this.delivered + 1) return false;
    this.delivered = last.seq;
    this.#onEvents(fresh);
    if (last.json.startsWith('{"type":"done"')) this.end();
    return true;
  }

  /** Ends a run that was deleted meanwhile. Nothing can be written for it any more, but its readers wait for an end. */
  deliverDeleted(): void {
    const messageId = this.messageId ?? messageIdIn(this.first);
    if (messageId === undefined) return;
    const counts = { iterations: 0, toolCalls: 0 };
    const done: ChatEvent = { type: "done", finishReason: "cancelled", messageId, ...counts };
    this.deliver([{ seq: this.delivered + 1, json: JSON.stringify(done) }]);
  }

  /** Delivers the run again from its first event. The next read must begin after this. */
  startOver(): void {
    this.delivered = 0;
  }

  /** Must not throw: the journal calls it. */
  committed(events: readonly EncodedEvent[], ending: "finished" | "lost" | undefined): void {
    try {
      const whole = this.deliver(events);
      if (whole && events.length > 0 && ending === "finished") this.end();
      else if (!whole || ending) this.wake();
    } catch (error) {
      this.#thrown = { error };
      this.end();
    }
  }

  beginRead(): void {
    this.#stale = false;
  }

  wake(): void {
    this.#stale = true;
    this.#resume?.();
  }

  end(): void {
    this.ended = true;
    this.#resume?.();
  }

  /** Resolves when there may be more than the last read saw: at once if it was woken during the read. */
  woken(): Promise<void> {
    if (this.#stale || this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Throws what the receiver threw when the journal called it. */
  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}

function messageIdIn(first: EncodedEvent | undefined): string | undefined {
  const event = first && (JSON.parse(first.json) as ChatEvent);
  return event?.type === "session" ? event.messageId : undefined;
}

function after(events: readonly EncodedEvent[], seq: number): EncodedEvent[] {
  return events.filter((event) => event.seq > seq);
}
