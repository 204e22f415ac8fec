import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";

let folder: string;
let database: Database;
let commits: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tackle-database-"));
  database = openDatabase(join(folder, "tackle.db"));
  database.transaction(() => database.prepare("CREATE TABLE words (word TEXT PRIMARY KEY) STRICT").run());
  commits = 0;
  database.onCommit(() => commits++);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function add(word: string, when: "now" | "this turn" | "soon"): Promise<string> {
  const insert = database.prepare("INSERT INTO words (word) VALUES (?)");
  const write = () => {
    insert.run(word);
    return word;
  };
  return database.together(write, { durable: false, when });
}

function words(): string[] {
  return database
    .prepare<{ word: string }>("SELECT word FROM words ORDER BY word")
    .all()
    .map(({ word }) => word);
}

it("runs all work of a turn of the event loop in one transaction, and gives each its result", async () => {
  expect(await Promise.all([add("a", "this turn"), add("b", "this turn"), add("c", "soon")])).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(words()).toEqual(["a", "b", "c"]);
  expect(commits).toBe(1);
});

it("splits a crowd, so that others get their turn in between", async () => {
  const crowd = Array.from({ length: 40 }, (_, at) => add(`word ${at}`, "this turn"));
  await crowd[0];
  expect(commits).toBe(1);
  await Promise.all(crowd);
  expect(commits).toBe(3);
});

it("takes along what waits if work has to run now", () => {
  void add("a", "soon");
  void add("b", "this turn");
  expect(words()).toEqual([]);
  void add("c", "now");
  expect(words()).toEqual(["a", "b", "c"]);
  expect(commits).toBe(1);
});

it("commits the others if one of them throws, and says that everything before was rolled back", async () => {
  let rollbacks = 0;
  database.onRollback(() => rollbacks++);
  const outcomes = await Promise.allSettled(["a", "a", "b"].map((word) => add(word, "this turn")));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(words()).toEqual(["a", "b"]);
  expect(rollbacks).toBe(2);
});

it("writes what nobody waits for within a moment, and at the latest when it is closed", async () => {
  await add("a", "soon");
  expect(words()).toEqual(["a"]);
  void add("b", "soon");
  await database.close();
  database = openDatabase(join(folder, "tackle.db"));
  expect(words()).toEqual(["a", "b"]);
});
