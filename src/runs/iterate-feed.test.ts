import { describe, expect, it } from "vitest";
import type { Feed } from "../protocol/journal.ts";
import type { EncodedEvent } from "../protocol/run-records.ts";
import { iterateFeed } from "./iterate-feed.ts";

type Follow = Parameters<Feed["follow"]>;

/** A feed that the test speaks through. */
function spoken() {
  const opened = Promise.withResolvers<Follow>();
  const over = Promise.withResolvers<void>();
  const feed: Feed = {
    follow(...given) {
      opened.resolve(given);
      return over.promise;
    },
  };
  return { feed, opened: opened.promise, over };
}

const event = (seq: number): EncodedEvent => ({ seq, json: "{}" });
const decode = ({ seq }: EncodedEvent) => seq;
const turnOfLoop = () => new Promise(setImmediate);

describe("what a feed delivers", () => {
  it("is yielded in order, whether the reader waits or is busy, until the feed ends", async () => {
    const { feed, opened, over } = spoken();
    const items = iterateFeed(feed, "run", { after: 7 }, decode);
    const first = items.next();
    const [id, after, onEvents] = await opened;
    expect([id, after]).toEqual(["run", 7]);
    await turnOfLoop();
    onEvents([event(8), event(9)]);
    expect(await first).toEqual({ value: 8, done: false });
    onEvents([event(10)]);
    expect(await items.next()).toEqual({ value: 9, done: false });
    expect(await items.next()).toEqual({ value: 10, done: false });
    onEvents([event(11)]);
    over.resolve();
    expect(await items.next()).toEqual({ value: 11, done: false });
    expect(await items.next()).toEqual({ value: undefined, done: true });
  });

  it("starts at the beginning unless told otherwise", async () => {
    const { feed, opened, over } = spoken();
    const next = iterateFeed(feed, "run", {}, decode).next();
    expect((await opened)[1]).toBe(0);
    over.resolve();
    expect((await next).done).toBe(true);
  });

  it("is followed by its failure, after the events before it", async () => {
    const { feed, opened, over } = spoken();
    const items = iterateFeed(feed, "run", {}, decode);
    const first = items.next();
    const [, , onEvents] = await opened;
    onEvents([event(1)]);
    over.reject(new Error("the database is away"));
    expect(await first).toEqual({ value: 1, done: false });
    await expect(items.next()).rejects.toThrow("the database is away");
  });

  it("is live once everything before was read, and that is said once", async () => {
    const { feed, opened, over } = spoken();
    const said: string[] = [];
    const items = iterateFeed(feed, "run", { onLive: () => said.push("live") }, decode);
    const first = items.next();
    const [, , onEvents, , onLive] = await opened;
    onEvents([event(1)]);
    onLive?.();
    await first;
    expect(said).toEqual([]);
    const second = items.next();
    await turnOfLoop();
    expect(said).toEqual(["live"]);
    onEvents([event(2)]);
    await second;
    const third = items.next();
    await turnOfLoop();
    expect(said).toEqual(["live"]);
    over.resolve();
    await third;
  });

  it("ends the feed when the reader leaves, or its signal aborts", async () => {
    const left = spoken();
    const items = iterateFeed(left.feed, "run", {}, decode);
    const first = items.next();
    const [, , onEvents, until] = await left.opened;
    onEvents([event(1)]);
    await first;
    expect(until.aborted).toBe(false);
    await items.return(undefined);
    expect(until.aborted).toBe(true);
    const stopped = spoken();
    const stop = new AbortController();
    const next = iterateFeed(stopped.feed, "run", { signal: stop.signal }, decode).next();
    const [, , , signal] = await stopped.opened;
    stop.abort();
    expect(signal.aborted).toBe(true);
    stopped.over.resolve();
    expect((await next).done).toBe(true);
  });
});
