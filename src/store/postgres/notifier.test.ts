import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWatchers } from "../watchers.ts";
import type { Database } from "./database.ts";
import { decodeNotification, type Notification } from "./notifications.ts";
import { Notifier } from "./notifier.ts";

/** Instances that hear each other as in PostgreSQL: everyone hears everything, after the transaction. */
class Wire {
  readonly said: Notification[] = [];
  readonly notifiers: Notifier[] = [];
  /** While it is true nothing gets through. */
  down = false;

  instance(origin: string) {
    const queryAgain: Database["queryAgain"] = async (_statement, values = []) => {
      if (this.down) throw new Error("no connection");
      const [, lines] = values as [string, string[]];
      for (const line of lines) {
        const notification = decodeNotification(line);
        if (!notification) throw new Error(`nobody understands ${line}`);
        this.said.push(notification);
        for (const notifier of this.notifiers) notifier.onNotification(notification);
      }
      return [];
    };
    const database = { schema: "tackle", origin, queryAgain } as Partial<Database> as Database;
    const watchers = createWatchers();
    const notifier = new Notifier(database, watchers);
    this.notifiers.push(notifier);
    return { notifier, watchers };
  }

  /** How often an instance has announced events of this run. */
  told(origin: string, runId: string): number {
    return this.said.filter(
      (one) => one.origin === origin && one.signal === "events" && one.runIds.includes(runId),
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

  test("runs without followers elsewhere are announced together, within 50 ms", async () => {
    const { notifier } = wire.instance("here");
    for (let commit = 0; commit < 10; commit++) {
      notifier.appended(["a", "b"]);
      await vi.advanceTimersByTimeAsync(4);
    }
    expect(wire.said).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(wire.said).toEqual([{ origin: "here", signal: "events", runIds: ["a", "b"] }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(wire.said).toHaveLength(1);
  });

  test("a run with followers elsewhere is announced with each commit, as long as it is followed", async () => {
    const { notifier } = wire.instance("here");
    const { watchers } = wire.instance("there");
    let woken = 0;
    const stop = watchers.watch("a", () => woken++);
    notifier.appended(["a", "b"]);
    await vi.advanceTimersByTimeAsync(50);
    expect(woken).toBe(1);
    for (let commit = 0; commit < 2_000; commit++) {
      notifier.appended(["a", "b"]);
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(woken).toBe(2_001);
    expect(wire.told("here", "b")).toBeLessThan(250);
    const follows = wire.said.filter(({ signal }) => signal === "follow");
    expect(follows.length).toBeLessThan(10);
    expect(follows[0]).toEqual({ origin: "there", signal: "follow", runIds: ["a"] });

    stop();
    await vi.advanceTimersByTimeAsync(6_000);
    const before = wire.told("here", "a");
    for (let commit = 0; commit < 10; commit++) notifier.appended(["a"]);
    await vi.advanceTimersByTimeAsync(50);
    expect(wire.told("here", "a")).toBe(before + 1);
  });

  test("an instance that takes over a run is told again that it is followed", async () => {
    const { notifier: first } = wire.instance("first");
    const { notifier: second } = wire.instance("second");
    const { watchers } = wire.instance("there");
    let woken = 0;
    watchers.watch("a", () => woken++);
    first.appended(["a"]);
    await vi.advanceTimersByTimeAsync(50);
    second.appended(["a"]);
    await vi.advanceTimersByTimeAsync(50);
    expect(wire.said.filter(({ signal }) => signal === "follow")).toHaveLength(2);
    second.appended(["a"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(3);
  });

  test("announcements that failed while the database was away are sent once it is back", async () => {
    const { notifier } = wire.instance("here");
    wire.down = true;
    notifier.appended(["a"]);
    await vi.advanceTimersByTimeAsync(500);
    expect(wire.said).toEqual([]);
    wire.down = false;
    await vi.advanceTimersByTimeAsync(50);
    expect(wire.said).toEqual([{ origin: "here", signal: "events", runIds: ["a"] }]);
  });
});
