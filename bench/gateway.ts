import { availableParallelism, loadavg } from "node:os";
import { type Entry, startEntries } from "./gateway/entries.ts";
import type { Load, Seen } from "./gateway/figures.ts";
import { Child } from "./load/child.ts";
import { residentBytes, treeTime } from "./load/machine.ts";
import { median, shuffled } from "./load/rounds.ts";

const ROUNDS = 5;
const AT_ONCE = Number(option("at-once") ?? 100);
/** Requests of each reader, one after the other. */
const EACH = 3;
/** Runs before anything is measured. After so many, no server gets faster any more: its code is compiled. */
const WARM_UPS = 5;
/** The search for the most streams doubles them until a run fails, then bisects so often: to within an eighth. */
const REFINED = 3;
/** More than this the upstream and the readers cannot hold on this machine. */
const MOST_HELD = 3_200;
/** Those that other people's programs could be, which store nothing. */
const OTHERS = ["portkey", "ai-sdk"];

/** What was measured of one server. */
interface Found {
  entry: Entry;
  p50: number[];
  p99: number[];
  /** Milliseconds of CPU a request. */
  cpu: number[];
  /** Bytes after each round. */
  resident: number[];
  held: number[];
  failed: number;
  reason?: string;
}

/**
 * Compares Tackle with gateways, by the public method for them: an upstream sends 64 frames, one every 20 ms. A run fails if
 * an answer lacks a frame or pauses for ten times the pace.
 *
 * `--rounds=1` for less, `--only=tackle,portkey` for some servers, `--no-held` without the search for the most streams,
 * `--at-once=25` where other programs leave too little of the machine for 100.
 */
export async function run(): Promise<void> {
  const rounds = Number(option("rounds") ?? ROUNDS);
  const upstream = new Child("../gateway/upstream.ts", []);
  const client = new Child("../gateway/client.ts", []);
  let entries: Entry[] = [];
  try {
    entries = await startEntries(await upstream.ask<string>("url"), option("only")?.split(","));
    const ask = (load: Load) => client.ask<Seen>("run", load);
    for (const { target } of entries)
      for (let times = 0; times < WARM_UPS; times++) await ask({ target, atOnce: AT_ONCE, each: EACH });
    const found = entries.map((entry): Found => {
      return { entry, p50: [], p99: [], cpu: [], resident: [], held: [], failed: 0 };
    });
    for (let round = 0; round < rounds; round++)
      for (const one of shuffled(found)) await measureLatency(one, ask);
    if (!process.argv.includes("--no-held"))
      for (let round = 0; round < rounds; round++)
        for (const one of shuffled(found)) await measureHeld(one, ask);
    report(found, rounds);
  } finally {
    for (const child of [...entries, upstream, client]) await child.stop();
  }
}

type Ask = (load: Load) => Promise<Seen>;

async function measureLatency(found: Found, ask: Ask): Promise<void> {
  const { target, pid } = found.entry;
  const before = pid ? treeTime(pid) : 0;
  const { firstBytes, failed, reason } = await ask({ target, atOnce: AT_ONCE, each: EACH });
  const at = (share: number) => firstBytes[Math.floor(firstBytes.length * share)] ?? Number.NaN;
  found.p50.push(at(0.5));
  found.p99.push(at(0.99));
  found.failed += failed;
  found.reason ??= reason;
  if (!pid) return;
  found.cpu.push((treeTime(pid) - before) / (AT_ONCE * EACH));
  found.resident.push(residentBytes(pid));
}

/**
 * Finds the most streams at once without a failure. A run that fails is repeated once, because this machine has pauses of its
 * own. At most 18 runs of about four seconds each; later rounds begin near what the first one found.
 */
async function measureHeld({ entry: { target, pid }, held }: Found, ask: Ask): Promise<void> {
  if (!pid) return;
  const run = async (atOnce: number) => (await ask({ target, atOnce, each: 2 })).failed === 0;
  const passes = async (atOnce: number) => (await run(atOnce)) || (await run(atOnce));
  let good = 0;
  let bad = 2 * MOST_HELD;
  for (let next = (median(held) || AT_ONCE) / 2; next <= MOST_HELD && bad > MOST_HELD; next *= 2)
    if (await passes(Math.round(next))) good = next;
    else bad = next;
  for (let refined = 0; refined < REFINED && bad <= MOST_HELD; refined++) {
    const next = (good + bad) / 2;
    if (await passes(Math.round(next))) good = next;
    else bad = next;
  }
  held.push(Math.round(good));
}

function report(found: Found[], rounds: number): void {
  const direct = found.find(({ entry }) => entry.name === "direct");
  console.log(
    `\nAnswers of 64 frames, one every 20 ms; ${AT_ONCE} at once; medians of ${rounds} shuffled rounds. Added: until the first frame, compared to a\n` +
      "direct connection. Held: the most at once without a lost frame or a pause of 200 ms. Memory: after the last rounds.\n",
  );
  console.log(row(["server", "added p50", "added p99", "held", "CPU a request", "memory", "failed"]));
  for (const one of found) {
    if (one === direct) continue;
    const failed = one.failed > 0 ? `${one.failed} (${one.reason})` : "0";
    console.log(row([one.entry.name, ...figuresOf(one, direct).map(({ shown }) => shown), failed]));
  }
  const ours = found.find(({ entry }) => entry.name === "tackle");
  if (ours) compare(ours, found, direct);
  if (found.some(({ failed }) => failed > 0))
    console.log(
      "\nAn answer that failed costs less than a whole one: measure again with fewer at once, or when the machine is idle.",
    );
  console.log(
    `\ntackle commits every event before it sends it. tackle-in-memory sends events first and writes a run's at its end, without a disk.` +
      `\nload average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores, which the upstream and the readers share`,
  );
}

interface Figure {
  name: string;
  value: number;
  shown: string;
  /** More is better. */
  more?: true;
}

function figuresOf({ p50, p99, cpu, resident, held }: Found, direct: Found | undefined): Figure[] {
  // In each round, because the speed of a shared machine changes between them.
  const added = (own: number[], others: number[] = []) =>
    median(own.map((value, round) => value - (others[round] ?? Number.NaN)));
  const figure = (name: string, value: number, unit: string, digits: number): Figure => {
    return { name, value, shown: Number.isNaN(value) ? "–" : `${value.toFixed(digits)} ${unit}` };
  };
  return [
    figure("added p50", added(p50, direct?.p50), "ms", 1),
    figure("added p99", added(p99, direct?.p99), "ms", 1),
    { ...figure("held", median(held), "", 0), more: true },
    figure("CPU a request", median(cpu), "ms", 2),
    figure("memory", median(resident.slice(-3)) / 1024 ** 2, "MB", 0),
  ];
}

function compare(ours: Found, found: Found[], direct: Found | undefined): void {
  console.log("");
  for (const other of found.filter(({ entry }) => OTHERS.includes(entry.name))) {
    const times = median(ours.cpu.map((cost, round) => cost / (other.cpu[round] ?? Number.NaN)));
    console.log(
      `CPU a request against ${other.entry.name}, in the median of the rounds: ${times.toFixed(2)} ×`,
    );
    for (const [at, { name, value, shown, more }] of figuresOf(ours, direct).entries()) {
      const theirs = figuresOf(other, direct)[at];
      if (!theirs || Number.isNaN(value) || Number.isNaN(theirs.value)) continue;
      const holds = more ? value >= theirs.value : value <= theirs.value;
      console.log(
        `${name} against ${other.entry.name}: ${shown} and ${theirs.shown}, ${holds ? "ahead" : "BEHIND"}`,
      );
    }
  }
}

function row(cells: string[]): string {
  const widths = [18, 11, 11, 7, 15, 9];
  return cells
    .map((cell, at) => (at === 0 ? cell.padEnd(18) : at === 6 ? `  ${cell}` : cell.padStart(widths[at] ?? 0)))
    .join("");
}

function option(name: string): string | undefined {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
