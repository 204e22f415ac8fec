import { availableParallelism, loadavg } from "node:os";
import { findRelease, startCluster } from "../../src/store/testing/postgres.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "../../test/support/server.ts";
import type { Child } from "./child.ts";
import type { Opened, Seen } from "./figures.ts";
import { treeTime } from "./machine.ts";
import { median } from "./rounds.ts";

/** Streams of one process, few enough that two processes of them leave room on a small machine. */
const STREAMS = 75;
/** What is compared: one process, two with as many streams each, and one with all of them. */
const CASES = [
  { processes: 1, streams: STREAMS },
  { processes: 2, streams: 2 * STREAMS },
  { processes: 1, streams: 2 * STREAMS },
];
const SETTLE_MS = 1_500;
const LOOK_MS = 4_000;
/** The first warms up. A token costs more while the engine still compiles. */
const ROUNDS = 5;
const GOAL = 1.1;

interface Case {
  processes: number;
  streams: number;
  server: OwnProcess;
  /** Of each round, in microseconds a token. */
  costs: number[];
  seen: Seen | undefined;
}

/** Measures what a token costs with two processes of `tackle serve --processes`, compared to one, on both engines. */
export async function reportProcesses(upstream: Child, client: Child): Promise<void> {
  const model = modelAt(await upstream.ask<string>("url"));
  console.log(
    `\ntackle serve --processes N: CPU of all its processes per token, 50 tokens a second on each stream; medians of ${ROUNDS - 1} rounds`,
  );
  await compare("SQLite", model, client);
  const release = findRelease();
  if (!release) return;
  const cluster = await startCluster(release, { durable: true });
  try {
    const secret = { TACKLE_SECRET: "a secret for this benchmark, and long enough" };
    await compare(release.name, { ...model, ...secret, DATABASE_URL: cluster.url }, client);
  } finally {
    await cluster.dispose();
  }
  console.log(`load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
}

async function compare(engine: string, env: Record<string, string>, client: Child): Promise<void> {
  const folder = temporaryFolder();
  const cases: Case[] = [];
  try {
    for (const [at, { processes, streams }] of CASES.entries()) {
      const settings = { ...env, TACKLE_PROCESSES: String(processes) };
      const server = await startOwnServer(`${folder.path}/${at}`, settings);
      cases.push({ processes, streams, server, costs: [], seen: undefined });
      await started(server, processes);
    }
    for (let round = 0; round < ROUNDS; round++) for (const one of cases) await measure(one, client);
    report(engine, cases);
  } finally {
    await Promise.all(cases.map(({ server }) => server.stop()));
    folder.remove();
  }
}

/** Waits until all workers serve. */
async function started({ url }: OwnProcess, processes: number): Promise<void> {
  for (let tries = 0; processes > 1 && tries < 300; tries++) {
    const text = await fetch(`${url}/metrics`).then((response) => response.text());
    if (text.includes(`tackle_processes ${processes}\n`)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Measures one round. The rounds of all cases alternate, so that what else the machine does is the same for all. */
async function measure(one: Case, client: Child): Promise<void> {
  const { server, streams } = one;
  const body = JSON.stringify({ message: "Go on talking.", onDisconnect: "cancel" });
  const targets = [{ url: server.url, path: "/chat", body }];
  for (let left = streams, tries = 0; left > 0 && tries < 10; tries++)
    left -= (await client.ask<Opened>("open", { targets, count: left })).admitted;
  await client.ask("measure", SETTLE_MS);
  const before = treeTime(server.child.pid ?? 0);
  one.seen = await client.ask<Seen>("measure", LOOK_MS);
  one.costs.push(((treeTime(server.child.pid ?? 0) - before) * 1000) / one.seen.tokens);
  await client.ask("close", 0);
  await client.ask("measure", SETTLE_MS / 3);
}

function report(engine: string, cases: Case[]): void {
  for (const { processes, costs, seen } of cases)
    console.log(
      `${engine}, ${processes} with ${seen?.streams} streams in all: ${median(costs.slice(1)).toFixed(1)} µs a token, p50 ${seen?.p50.toFixed(1)} ms, p99 ${seen?.p99.toFixed(1)} ms, ${seen?.slow} slow`,
    );
  const [alone, both, all] = cases.map(({ costs }) => costs);
  const ratio = (to: number[] | undefined) =>
    median((both ?? []).map((cost, round) => cost / (to?.[round] ?? Number.NaN)).slice(1));
  const [each, total] = [ratio(alone), ratio(all)];
  console.log(
    `${engine}, 2 processes against 1 with as many streams each, at most ${GOAL}: ${each.toFixed(2)}, ${each <= GOAL ? "holds" : "DOES NOT HOLD"}` +
      `\n${engine}, 2 processes against 1 with all of the streams, which reads and writes more of them together: ${total.toFixed(2)}`,
  );
}
