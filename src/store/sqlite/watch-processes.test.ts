import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { openDatabase } from "./database.ts";
import { watchOtherProcesses } from "./watch-processes.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-watch-"));
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
  expect(changed).toHaveBeenCalledOnce();
  stop();
  expect(vi.getTimerCount()).toBe(0);
  await database.close();
});
