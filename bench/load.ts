import { availableParallelism, loadavg } from "node:os";
import { Child } from "./load/child.ts";
import { Contestant, type Round, startServer } from "./load/contestant.ts";
import { reportCrowd } from "./load/crowd.ts";
import { GOOD_P99_MS } from "./load/figures.ts";
import { reportInstances } from "./load/instances.ts";
import { reportProcesses } from "./load/processes.ts";
import { median, shuffled } from "./load/rounds.ts";

const ROUNDS = 5;
/** Goals for the streams of a core, compared to the AI SDK's server and to a bare pipe. */
const TIMES_SDK = 6.5;
const SHARE_OF_PIPE = 0.62;
const KINDS = ["tackle", "tackle again", "pipe", "openai", "langchain", "ai-sdk"];
/** Where the search starts, to keep it short. */
const FIRST: Record<string, number> = { pipe: 150, "ai-sdk": 20, langchain: 30 };

/**
 * Measures how many paced streams one process holds and what a token costs, compared to a bare pipe and to servers that use
 * other packages.
 *
 * `--processes` compares `tackle serve --processes 2` with one process instead.
 * `--quick` runs one round instead of five and skips several processes; `--rounds=3` runs as many; `--only=tackle,pipe,crowd,instances` measures only these.
 * `--journal=nats` keeps the journal of several processes on three NATS nodes.
 * `--counts=1,2` are the numbers of processes on one PostgreSQL, `--streams=300,450` how many streams they hold together.
 */
export async function run(): Promise<void> {
  const quick = process.argv.includes("--quick");
  const processes = process.argv.includes("--processes");
  const only = process.argv
    .find((word) => word.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const isWanted = (part: string) => !only || only.includes(part);
  const upstream = new Child("upstream.ts", []);
  const client = new Child("client.ts", []);
  const stops: (() => Promise<unknown>)[] = [() => upstream.stop(), () => client.stop()];
  try {
    const address = await upstream.ask<string>("url");
    if (processes) return await reportProcesses(upstream, client);
    const start = async (name: string) => {
      const kind = name.split(" ", 1)[0] ?? name;
      const contestant = new Contestant(name, [startServer(kind, address)], client);
      stops.push(() => contestant.stop());
      await contestant.prepare(kind);
      await contestant.burst(); // Warms up.
      await contestant.burst();
      return contestant;
    };
    const contestants: Contestant[] = [];
    for (const name of KINDS.filter(isWanted)) contestants.push(await start(name));
    const rounds = new Map(contestants.map(({ name }) => [name, [] as Round[]]));
    const wanted = process.argv.find((word) => word.startsWith("--rounds="))?.slice("--rounds=".length);
    for (let round = 0; round < Number(wanted ?? (quick ? 1 : ROUNDS)); round++) {
      for (const contestant of shuffled(contestants)) {
        const kind = contestant.name;
        rounds.get(kind)?.push(await contestant.round((FIRST[kind] ?? 60) * (0.85 + Math.random() * 0.3)));
      }
    }
    if (rounds.size > 0) report(rounds);
    reportGoals(rounds);
    if (isWanted("crowd"))
      await reportCrowd(contestants.find(({ name }) => name === "tackle") ?? (await start("tackle")));
    if (isWanted("instances") && !(quick && !only)) await reportInstances(upstream, client);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
}

function report(rounds: Map<string, Round[]>): void {
  const base = middle(rounds.get("ai-sdk") ?? [], "most");
  const pipe = middle(rounds.get("pipe") ?? [], "most");
  console.log(
    `One process, 50 tokens a second on each stream; streams: the most with p99 under ${GOOD_P99_MS} ms added; KB: memory of a stream\n` +
      "after two seconds, with up to 200 streams, in the heap and in buffers. Medians.\n",
  );
  console.log(
    row([
      "server",
      "streams",
      "× ai-sdk",
      "× pipe",
      "range",
      "p99 at 50",
      "CPU/token 50",
      "most",
      "peak",
      "tokens/s",
      "KB/stream",
    ]),
  );
  for (const [name, found] of rounds) {
    const most = middle(found, "most");
    const all = found.map((round) => round.most);
    console.log(
      row([
        name,
        most.toFixed(0),
        (most / base).toFixed(1),
        (most / pipe).toFixed(2),
        `${Math.min(...all)}–${Math.max(...all)}`,
        `${middle(found, "p99").toFixed(1)} ms`,
        `${middle(found, "cpuAtFifty").toFixed(0)} µs`,
        `${middle(found, "cpuAtMost").toFixed(0)} µs`,
        `${middle(found, "cpuAtPeak").toFixed(0)} µs`,
        middle(found, "perSecond").toFixed(0),
        memoryOf(found),
      ]),
    );
  }
}

/** A dash if the noise is as large as the figure. */
function memoryOf(found: Round[]): string {
  const bytes = middle(found, "bytesPerStream");
  return bytes > middle(found, "bytesOfNoise") ? (bytes / 1024).toFixed(0) : "–";
}

/** Compares the figures with the documented goals. */
function reportGoals(rounds: Map<string, Round[]>): void {
  const [ours, control, pipe, sdk] = ["tackle", "tackle again", "pipe", "ai-sdk"].map((name) =>
    rounds.get(name),
  );
  if (!ours || !pipe || !sdk) return;
  const most = middle(ours, "most");
  const goal = (what: string, found: number, holds: boolean) =>
    console.log(`${what}: ${found.toFixed(2)}, ${holds ? "holds" : "DOES NOT HOLD"}`);
  const [times, share, p99] = [most / middle(sdk, "most"), most / middle(pipe, "most"), middle(ours, "p99")];
  console.log("");
  goal(`streams against the AI SDK's server, at least ${TIMES_SDK}`, times, times >= TIMES_SDK);
  goal(`streams against the bare pipe, at least ${SHARE_OF_PIPE}`, share, share >= SHARE_OF_PIPE);
  const cost = (found: Round[]) => middle(found, "cpuAtMost");
  console.log(
    `the same two by the CPU of a token, each server with its most streams: ${(cost(sdk) / cost(ours)).toFixed(2)} and ${(cost(pipe) / cost(ours)).toFixed(2)}`,
  );
  goal("added p99 with 50 streams, at most 10 ms", p99, p99 <= 10);
  if (control)
    console.log(`the same code twice: ${(middle(control, "most") / most).toFixed(2)} (1 without noise)`);
  console.log(
    `load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores, 2 to 3 of it this bench`,
  );
}

function row(cells: string[]): string {
  const widths = [14, 8, 9, 7, 10, 10, 13, 7, 7, 9, 10];
  return cells
    .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    .join(" ");
}

function middle(rounds: Round[], figure: keyof Round): number {
  return median(rounds.map((round) => round[figure]));
}
