import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { openedRun } from "../conformance/harness.ts";
import { openSqliteStore } from "../sqlite.ts";
import { openDatabase } from "./open-database.ts";
import { watchOtherProcesses } from "./watch-processes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tackle-watch-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test("a quiet database has no timer, and a write by another process is still noticed", async () => {
  const path = join(folder, "tackle.db");
  const database = openDatabase(path);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const changed = vi.fn();
  const stop = watchOtherProcesses(database, changed);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(vi.getTimerCount()).toBe(0);
  expect(changed).not.toHaveBeenCalled();
  const other = new DatabaseSync(path);
  other.exec("INSERT INTO user_settings (user_id, name, value) VALUES ('', 'a', '1')");
  other.close();
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(changed.mock.calls).toEqual([["events"]]);
  stop();
  expect(vi.getTimerCount()).toBe(0);
  await database.close();
});

test("the owners of runs are woken only for what they have to know", async () => {
  const path = join(folder, "tackle.db");
  const [store, other] = [await openSqliteStore({ path }), await openSqliteStore({ path })];
  const [own, theirs] = [await openedRun(store), await openedRun(other)];
  const woken: string[] = [];
  store.watch(own.id, () => woken.push("owner"), "control");
  store.watch(theirs.id, () => woken.push("follower"));
  const batch = {
    runId: theirs.id,
    epoch: 1,
    firstSeq: 2,
    events: [JSON.stringify(contentDelta("a"))],
    steps: [],
  };
  await other.commit([batch], { durable: false });
  await expect.poll(() => woken).toContain("follower");
  expect(woken).not.toContain("owner");
  await other.requestCancel(own.id);
  await expect.poll(() => woken).toContain("owner");
  await Promise.all([store.close(), other.close()]);
});
