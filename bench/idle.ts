import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startOwnServer, temporaryFolder } from "../test/support/server.ts";
import { chat, firstEvent } from "../test/support/sse.ts";

/** By then, what a start and an answer leave to do is done. */
const SETTLE_MS = 30_000;
const WATCH_MS = 20_000;
const SHORTEST_MS = 1_000;
/** The samples of every half minute are written, and synced half a second later. */
const SYNCS = 4;

/**
 * Counts what an idle server does in 20 seconds, after one answer and half a minute of quiet: how often its threads wake up, the
 * CPU time, and the timers that fire. `--bare` leaves out the half minute.
 */
export async function run(): Promise<void> {
  const settleMs = process.argv.includes("--bare") ? 5_000 : SETTLE_MS;
  const folder = temporaryFolder();
  const counts = join(folder.path, "timers.json");
  const began = performance.now();
  const server = await startOwnServer(folder.path, {
    NODE_OPTIONS: `--import ${new URL("idle/count-timers.mjs", import.meta.url)}`,
    TIMER_COUNTS: counts,
    TIMER_COUNTS_AFTER_MS: String(settleMs),
  });
  firstEvent(await chat(server.url, { message: "hello" }), "done");
  await pause(settleMs - (performance.now() - began));
  const before = readProcess(server.child.pid);
  await pause(WATCH_MS);
  const after = readProcess(server.child.pid);
  await server.stop();
  const seconds = WATCH_MS / 1_000;
  const timers = (JSON.parse(readFileSync(counts, "utf8")) as [string, number][]).filter(
    ([place]) => Number.parseInt(place, 10) >= 0,
  );
  folder.remove();
  const rate = (count: number) => (count / seconds).toFixed(1);
  console.log(`wake-ups of the main thread: ${rate(after.main - before.main)} a second`);
  console.log(`wake-ups of all ${after.threads} threads: ${rate(after.all - before.all)} a second`);
  console.log(`CPU: ${((after.cpuMs - before.cpuMs) / seconds).toFixed(2)} ms a second`);
  for (const [place, count] of timers.sort(([, one], [, other]) => other - one))
    console.log(`${String(count).padStart(5)} × ${place}`);
  const short = timers.filter(([place, count]) => Number.parseInt(place, 10) < SHORTEST_MS && count > SYNCS);
  console.log(`timers under a second: ${short.length} (figure: none)`);
}

/** Reads the CPU time and how often threads went to sleep: every wake-up ends in that. */
function readProcess(pid: number | undefined) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const switchesOf = (thread: string) =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(
        readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"),
      )?.[1],
    );
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return {
    threads: threads.length,
    main: switchesOf(String(pid)),
    all: threads.map(switchesOf).reduce((sum, count) => sum + count, 0),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
  };
}
