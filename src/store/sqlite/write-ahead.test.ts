import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { SYNC_MS } from "./write-ahead.ts";

const disk = vi.hoisted(() => ({ syncs: 0, failure: undefined as Error | undefined }));
// Whether something was synced can only be seen at the call itself.
vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  const fdatasync = (file: number, done: (error: Error | null) => void) => {
    disk.syncs++;
    if (disk.failure) done(disk.failure);
    else original.fdatasync(file, done);
  };
  return { ...original, fdatasync };
});

let directory: string;
let path: string;
let database: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tackle-wal-"));
  path = join(directory, "tackle.db");
  database = openDatabase(path);
  disk.syncs = 0;
  disk.failure = undefined;
});
afterEach(async () => {
  vi.useRealTimers();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

function write(value: string, durable = false): void {
  const insert = database.prepare(
    "INSERT OR REPLACE INTO user_settings (user_id, name, value) VALUES ('', ?, ?)",
  );
  database.transaction(() => insert.run(value.slice(0, 10), JSON.stringify(value)), { durable });
}

const realTimeout = globalThis.setTimeout;
/** Lets the periods of this time pass, each in a few milliseconds: the thread that checkpoints works in real time. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += SYNC_MS) {
    await vi.advanceTimersByTimeAsync(SYNC_MS);
    await new Promise((resolve) => realTimeout(resolve, 20));
  }
}

const logBytes = () => statSync(`${path}-wal`).size;

test("what nobody waits for is synced within a second, and an idle log is left alone", async () => {
  expect(SYNC_MS).toBeLessThan(1_000);
  write("a");
  await vi.waitFor(() => expect(disk.syncs).toBe(1), { timeout: 5_000, interval: 10 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(disk.syncs).toBe(1);
});

test("a sync that failed in the background fails the next write that waits for one", async () => {
  disk.failure = new Error("the disk is broken");
  write("a");
  await vi.waitFor(() => expect(disk.syncs).toBe(1), { timeout: 5_000 });
  disk.failure = undefined;
  await expect(database.durably(() => write("b", true))).rejects.toMatchObject({ code: "INTERNAL" });
  await database.durably(() => write("c", true));
});

test("a large log is truncated after a while of quiet, as soon as nobody reads from it", async () => {
  await database.close();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  database = openDatabase(path);
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN; SELECT count(*) FROM user_settings");
  for (let row = 0; row < 20; row++) write(`${row} `.padEnd(1_000_000, "x"));
  expect(logBytes()).toBeGreaterThan(16_000_000);
  await pass(12_000);
  expect(logBytes()).toBeGreaterThan(16_000_000);
  reader.close();
  await vi.waitFor(() => expect(logBytes()).toBeLessThan(1_000_000), { timeout: 30_000, interval: 200 });
  write("after");
  expect(
    database.prepare<{ count: number }>("SELECT count(*) AS count FROM user_settings").get(),
  ).toMatchObject({
    count: expect.any(Number),
  });
  expect(database.prepare("SELECT value FROM user_settings WHERE name = 'after'").get()).toBeDefined();
});
