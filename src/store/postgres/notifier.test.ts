import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWatchers } from "../watchers.ts";
import type { Database } from "./database.ts";
import { channelOf, decodeNotification, type Notification } from "./notifications.ts";
import { Notifier } from "./notifier.ts";

type Sent = Notification & { channel: string };

/** Instances that hear each other as in PostgreSQL: each on the channel of all and on its own, after the transaction. */
class Wire {
  readonly said: Sent[] = [];
  readonly notifiers: Notifier[] = [];
  readonly listeners: { channels: string[]; notifier: Notifier }[] = [];
  /** While it is true nothing gets through. */
  down = false;

  instance(origin: string) {
    const queryAgain: Database["queryAgain"] = async (_statement, values = []) => {
      if (this.down) throw new Error("no connection");
      const [channels, lines] = values as [string[], string[]];
      for (const [index, line] of lines.entries()) {
        const channel = channels[index] ?? "";
        const notification = decodeNotification(line);
        if (!notification) throw new Error(`nobody understands ${line}`);
        this.said.push({ channel, ...notification });
        for (const one of this.listeners)
          if (one.channels.includes(channel)) one.notifier.onNotification(notification, channel);
      }
      return [];
    };
    const known = { schema: "tackle", origin, queryAgain, formerIsThere: false };
    const database = known as Partial<Database> as Database;
    const watchers = createWatchers((runId) => notifier.watched(runId));
    const notifier: Notifier = new Notifier(database, watchers);
    this.notifiers.push(notifier);
    this.listeners.push({ notifier, channels: ["tackle", channelOf(origin)] });
    return { notifier, watchers, database };
  }

  /** How often events of this run were announced on a channel. */
  told(channel: string, runId: string): number {
    return this.said.filter(
      (one) => one.channel === channel && one.signal === "events" && one.runIds.includes(runId),
    ).length;
  }
}

describe("announcing events to other instances", () => {
  let wire: Wire;

  beforeEach(() => {
    vi.useFakeTimers();
    wire = new Wire();
  });
  afterEach(() => {
    for (const notifier of wire.notifiers) notifier.close();
    vi.useRealTimers();
  });

  test("nobody is woken by runs that no other instance follows", async () => {
    const { notifier } = wire.instance("here");
    wire.instance("there");
    for (let commit = 0; commit < 100; commit++) {
      notifier.appended(["a", "b"]);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(wire.said).toEqual([]);
  });

  test("an instance that follows a run is woken with each commit, and no other is", async () => {
    const { notifier } = wire.instance("here");
    const { watchers } = wire.instance("there");
    const { watchers: bystanders } = wire.instance("elsewhere");
    bystanders.watch("b", () => undefined);
    let woken = 0;
    const stop = watchers.watch("a", () => woken++);
    await vi.advanceTimersByTimeAsync(0);
    for (let commit = 0; commit < 2_000; commit++) {
      notifier.appended(["a", "c"]);
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(woken).toBe(2_000);
    expect(wire.told(channelOf("there"), "a")).toBe(2_000);
    for (const channel of ["tackle", channelOf("elsewhere")]) expect(wire.told(channel, "a")).toBe(0);
    const subscribed = wire.said.filter(({ signal, origin }) => signal === "subscribe" && origin === "there");
    expect(subscribed.length).toBeLessThan(5);
    expect(subscribed[0]).toMatchObject({ channel: "tackle", runIds: ["a"] });

    stop();
    await vi.advanceTimersByTimeAsync(20_000);
    const before = wire.said.length;
    for (let commit = 0; commit < 10; commit++) notifier.appended(["a"]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(wire.said.slice(before).filter(({ origin }) => origin === "here")).toEqual([]);
  });

  test("a new follower is woken at once, because it may have read just before the last commit", async () => {
    const { notifier } = wire.instance("here");
    const { watchers } = wire.instance("there");
    notifier.appended(["a"]);
    let woken = 0;
    watchers.watch("a", () => woken++);
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(1);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(woken).toBe(1);
  });

  test("an instance that starts later and takes over a run learns that it is followed", async () => {
    const { watchers } = wire.instance("there");
    let woken = 0;
    watchers.watch("a", () => woken++);
    await vi.advanceTimersByTimeAsync(0);
    const { notifier: second } = wire.instance("second");
    // As the statement does that claims a run.
    second.broadcast(["a"]);
    await vi.advanceTimersByTimeAsync(50);
    expect(woken).toBe(1);
    second.appended(["a"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(2);
  });

  test("accounts are announced to everybody within 50 ms, and at once where somebody has heard of them", async () => {
    const { notifier } = wire.instance("here");
    const { watchers } = wire.instance("there");
    let woken = 0;
    watchers.watch("account:ada", () => woken++);
    for (let count = 0; count < 5; count++)
      for (const key of ["account:ada", "account:grace"]) notifier.tellAll(key);
    await vi.advanceTimersByTimeAsync(50);
    expect(woken).toBe(1);
    expect(wire.said[0]).toMatchObject({ channel: "tackle", runIds: ["account:ada", "account:grace"] });
    notifier.tellAll("account:ada");
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(2);
  });

  test("while an instance of the former version is there, everybody hears of all runs, and it is told what is followed", async () => {
    const { notifier, database: here } = wire.instance("here");
    const { notifier: follower, watchers, database: there } = wire.instance("there");
    for (const database of [here, there]) database.formerIsThere = true;
    for (let commit = 0; commit < 10; commit++) {
      notifier.appended(["a", "b"]);
      await vi.advanceTimersByTimeAsync(4);
    }
    await vi.advanceTimersByTimeAsync(10);
    expect(wire.told("tackle", "b")).toBe(1);
    watchers.watch("former", () => undefined);
    follower.onNotification({ origin: "old", signal: "events", runIds: ["former"] }, "tackle");
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.said.filter(({ signal }) => signal === "follow")).toMatchObject([{ runIds: ["former"] }]);
    notifier.onNotification({ origin: "old", signal: "follow", runIds: ["c"] }, "tackle");
    const before = wire.told("tackle", "c");
    notifier.appended(["c"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.told("tackle", "c")).toBe(before + 1);
  });

  test("announcements that failed while the database was away are sent once it is back", async () => {
    const { notifier } = wire.instance("here");
    const { watchers } = wire.instance("there");
    let woken = 0;
    watchers.watch("a", () => woken++);
    await vi.advanceTimersByTimeAsync(0);
    wire.down = true;
    notifier.appended(["a"]);
    await vi.advanceTimersByTimeAsync(500);
    expect(woken).toBe(0);
    wire.down = false;
    await vi.advanceTimersByTimeAsync(50);
    expect(woken).toBe(1);
  });
});
