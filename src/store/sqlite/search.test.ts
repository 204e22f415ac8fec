import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../../protocol/store.ts";
import { openSqliteStore } from "../sqlite.ts";

let folder: string;
let store: Store;
const path = () => join(folder, "tackle.db");
const open = async () => {
  store = await openSqliteStore({ path: path() });
};
const found = async (query: string) =>
  (await store.search("ada", { query, limit: 20 })).results.map(({ sessionId }) => sessionId).sort();

/** Writes rows as a version without a search would. */
function plant(sessions: number): void {
  const database = new DatabaseSync(path());
  for (let at = 0; at < sessions; at++) {
    database.exec(`INSERT INTO sessions (id, user_id, title, created_at, updated_at) VALUES ('s${at}', 'ada', 'Plan ${at}', ${at}, ${at});
      INSERT INTO messages (id, session_id, position, role, text, parts, created_at)
        VALUES ('m${at}', 's${at}', 1, 'user', 'the wordplanted${at} and more', '[]', ${at})`);
  }
  database.exec("DELETE FROM search_changes");
  database.close();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tackle-search-"));
  await open();
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test("texts from before there was an index are added in the background", async () => {
  plant(300);
  await store.startIndexing();
  await expect.poll(async () => (await store.search("ada", { query: "x", limit: 1 })).complete).toBe(true);
  expect(await found("wordplanted299")).toEqual(["s299"]);
  expect(await found("plan 7")).toEqual(["s7"]);
});

test("an index that is damaged, or belongs to another database, is built again", async () => {
  plant(3);
  expect(await found("wordplanted1")).toEqual(["s1"]);
  await store.close();
  const index = join(folder, "tackle-search.db");
  const good = readFileSync(index);
  writeFileSync(index, Buffer.concat([Buffer.from("no database at all"), good]));
  await open();
  await expect.poll(() => found("wordplanted1")).toEqual(["s1"]);
  await store.close();
  for (const name of readdirSync(folder).filter((one) => one.startsWith("tackle.db")))
    rmSync(join(folder, name));
  await open();
  expect(await found("wordplanted1")).toEqual([]);
});

test("no file of the index holds a word of what was deleted", async () => {
  plant(40);
  await expect.poll(() => found("wordplanted12")).toEqual(["s12"]);
  const bytes = () =>
    Buffer.concat(
      readdirSync(folder)
        .filter((name) => name.startsWith("tackle-search"))
        .map((name) => readFileSync(join(folder, name))),
    );
  for (const at of [12, 13]) await store.deleteSession(`s${at}`);
  expect(await found("wordplanted12")).toEqual([]);
  // Words of the index share their beginnings, so their ends are looked for too.
  for (const word of ["wordplanted12", "planted13"]) expect(bytes().includes(word), word).toBe(false);
  expect(await found("wordplanted14")).toEqual(["s14"]);
});

test("two processes share an index", async () => {
  const other = await openSqliteStore({ path: path() });
  await store.createSession({ id: "one", userId: "ada", title: "From the first" });
  await other.createSession({ id: "two", userId: "ada", title: "From the second" });
  const both = (one: Store) =>
    one
      .search("ada", { query: "from", limit: 9 })
      .then(({ results }) => results.map(({ sessionId }) => sessionId).sort());
  expect(await Promise.all([both(store), both(other)])).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
  await other.close();
});

test("what was indexed is removed from the list of changes", async () => {
  await store.createSession({ id: "one", userId: "ada", title: "First" });
  await found("first");
  const database = new DatabaseSync(path(), { readOnly: true });
  const left = () => database.prepare("SELECT count(*) AS count FROM search_changes").get()?.count;
  await expect.poll(left).toBe(0);
  database.close();
});

test("the thread of the index starts when something has changed, and ends when it has nothing left to do", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const index = join(folder, "tackle-search.db");
  await store.startIndexing();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(existsSync(index)).toBe(false);
  await store.createSession({ id: "one", userId: "ada", title: "First" });
  const database = new DatabaseSync(path(), { readOnly: true });
  const left = () => database.prepare("SELECT count(*) AS count FROM search_changes").get()?.count;
  expect(left()).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  await expect.poll(left).toBe(0);
  database.close();
  expect(existsSync(`${index}-wal`)).toBe(true);
  await vi.advanceTimersByTimeAsync(20_000);
  // The thread is the last to close the index, which removes its log.
  await expect.poll(() => existsSync(`${index}-wal`)).toBe(false);
  vi.useRealTimers();
  expect(await found("first")).toEqual(["one"]);
});
