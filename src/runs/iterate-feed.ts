import type { FollowOptions } from "../protocol/chat.ts";
import type { Feed } from "../protocol/journal.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";

interface IterateOptions extends FollowOptions {
  /** Ends it as `signal` does. */
  closed?: AbortSignal | undefined;
}

/** Yields what a feed delivers for a run or an account. Events are buffered while the reader is busy. */
export async function* iterateFeed<Item>(
  feed: Feed,
  id: string,
  { after = 0, signal, closed, onLive }: IterateOptions,
  decode: (event: EncodedEvent) => Item,
): AsyncGenerator<Item> {
  const stop = new AbortController();
  const until = AbortSignal.any([stop.signal, signal, closed].filter((one) => one !== undefined));
  const waiting: EncodedEvent[] = [];
  let wake = () => {};
  let ended = false;
  let live = false;
  const following = feed
    .follow(
      id,
      after,
      (events) => {
        for (const event of events) waiting.push(event);
        wake();
      },
      until,
      () => {
        live = true;
        wake();
      },
    )
    .finally(() => {
      ended = true;
      wake();
    });
  following.catch(() => undefined); // Rethrown below, after the events before it.
  try {
    while (!ended || waiting.length > 0) {
      for (const event of waiting.splice(0)) yield decode(event);
      if (ended || waiting.length > 0) continue;
      if (live) {
        live = false;
        onLive?.();
      }
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      await woken.promise;
    }
    await following;
  } finally {
    stop.abort();
  }
}
