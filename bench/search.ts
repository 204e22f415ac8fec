import { setTimeout } from "node:timers/promises";
import type { Store } from "../src/protocol/store.ts";
import { findRelease } from "../src/store/testing/postgres.ts";
import { type FilledEngine, fillPostgres, fillSqlite } from "./search/engines.ts";
import { QUERIES } from "./search/messages.ts";
import { watchTurns } from "./search/turns.ts";

const MESSAGES = 200_000;
/** Building the index may take this long on each engine. */
const INDEXING_SECONDS = 600;
/** How often it is asked whether the index is complete. Each time is a search, which takes CPU from building it. */
const LOOK_MS = 2_000;
const TIMES = 20;
const WATCHED_TIMES = 5;
/** The figures: 95% of the searches within this time, and no turn of the main thread with more CPU time. */
const SEARCH_MS = 50;
const TURN_MS = 5;

/**
 * Measures how long a person with many messages waits for a search, and how long others wait meanwhile, on SQLite and, where it
 * is installed, PostgreSQL. Exits with 1 if a figure is missed.
 *
 * `--messages=200000`, `--seconds=600` (for building each index) and `--engine=sqlite` or `postgres` change the defaults.
 */
export async function run(): Promise<void> {
  const messages = Number(option("messages") ?? MESSAGES);
  const engine = option("engine");
  const release = engine === "sqlite" ? undefined : findRelease();
  const fills = [
    ...(engine === "postgres" ? [] : [() => fillSqlite(messages)]),
    ...(release ? [() => fillPostgres(release, messages)] : []),
  ];
  let missed = fills.length === 0;
  for (const fill of fills) {
    const filled = await fill();
    try {
      console.log(`\n${filled.name}, ${messages} messages`);
      if (!(await measure(filled))) missed = true;
    } finally {
      await filled.close();
    }
  }
  if (missed) process.exitCode = 1;
}

/** Returns false if a figure is missed. */
async function measure({ store, settle, databaseSeconds }: FilledEngine): Promise<boolean> {
  const before = { here: process.cpuUsage(), there: databaseSeconds() };
  const seconds = await buildIndex(store);
  const { user, system } = process.cpuUsage(before.here);
  const cpu = `CPU: ${((user + system) / 1e6).toFixed(0)} s of the server, ${(databaseSeconds() - before.there).toFixed(0)} s of the database`;
  console.log(`indexing took ${cpu}`);
  if (seconds === undefined) return false;
  await settle();
  console.log(`indexed in ${seconds.toFixed(0)} s in the background`);
  let slowest = 0;
  let longest = 0;
  for (const query of QUERIES) {
    const { found, half, p95 } = await timed(store, query);
    const turn = await watched(store, query);
    slowest = Math.max(slowest, p95);
    longest = Math.max(longest, turn);
    const times = `half within ${half.toFixed(1)} ms, 95% within ${p95.toFixed(1)} ms`;
    console.log(
      `${query.padEnd(16)} ${String(found).padStart(3)} found  ${times}, longest turn ${turn.toFixed(1)} ms`,
    );
  }
  return [
    figure("slowest query, 95%", slowest, SEARCH_MS),
    figure("longest turn of the main thread, CPU time", longest, TURN_MS),
  ].every(Boolean);
}

/** Waits until everything can be found. Returns the seconds it took, or undefined if it took too long. */
async function buildIndex(store: Store): Promise<number | undefined> {
  const most = Number(option("seconds") ?? INDEXING_SECONDS);
  const began = performance.now();
  const spent = () => (performance.now() - began) / 1000;
  await store.startIndexing();
  while (!(await store.search("ada", { query: "zanzibar", limit: 20 })).complete) {
    if (spent() > most) {
      console.log(`MISSED: the index is not complete after ${most} s`);
      return undefined;
    }
    await setTimeout(LOOK_MS);
  }
  return spent();
}

async function timed(store: Store, query: string): Promise<{ found: number; half: number; p95: number }> {
  const times: number[] = [];
  let found = 0;
  for (let time = 0; time < TIMES; time++) {
    const start = performance.now();
    found = (await store.search("ada", { query, limit: 20 })).results.length;
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  return { found, half: times[TIMES / 2] ?? 0, p95: times[Math.ceil(TIMES * 0.95) - 1] ?? 0 };
}

/** Returns the longest turn of the main thread while others search. Watching takes time, so it is not done while timing. */
async function watched(store: Store, query: string): Promise<number> {
  const end = watchTurns();
  for (let time = 0; time < WATCHED_TIMES; time++) await store.search("ada", { query, limit: 20 });
  return end();
}

/** Prints a figure and returns whether it is reached. */
function figure(name: string, value: number, most: number): boolean {
  const reached = value <= most;
  console.log(`${reached ? "reached" : "MISSED"}: ${name} ${value.toFixed(1)} ms (at most ${most} ms)`);
  return reached;
}

function option(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
