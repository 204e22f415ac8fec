import { availableParallelism, loadavg } from "node:os";
import { findRelease, startCluster } from "../../src/store/testing/postgres.ts";
import { modelAt, startServer, temporaryFolder } from "../../test/support/server.ts";
import type { Child } from "./child.ts";
import type { Opened, Seen } from "./figures.ts";
import { treeTime } from "./machine.ts";
import { median } from "./rounds.ts";

const COUNTS = [1, 2];
/** Streams in all, few enough for one process. */
const STREAMS = 150;
const SETTLE_MS = 3_000;
const LOOK_MS = 5_000;
const LOOKS = 3;
const GOAL = 1.1;

/** Measures what a token costs with two processes of `tackle serve --processes`, compared to one, on both engines. */
export async function reportProcesses(upstream: Child, client: Child): Promise<void> {
  const address = await upstream.ask<string>("url");
  console.log(
    `\ntackle serve --processes N: ${STREAMS} streams in all, 50 tokens a second on each; CPU of all its processes per token`,
  );
  await compare("SQLite", {}, address, client);
  const release = findRelease();
  if (!release) return;
  const cluster = await startCluster(release, { durable: true });
  try {
    await compare(
      release.name,
      { DATABASE_URL: cluster.url, TACKLE_SECRET: "a secret for this benchmark, and long enough" },
      address,
      client,
    );
  } finally {
    await cluster.dispose();
  }
  console.log(`load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
}

async function compare(
  engine: string,
  env: Record<string, string>,
  upstream: string,
  client: Child,
): Promise<void> {
  const costs: number[] = [];
  for (const count of COUNTS) {
    const { cost, seen } = await measure(count, { ...modelAt(upstream), ...env }, client);
    costs.push(cost);
    console.log(
      `${engine}, ${count} of them: ${cost.toFixed(1)} µs a token, ${seen.streams} streams, p50 ${seen.p50.toFixed(1)} ms, p99 ${seen.p99.toFixed(1)} ms, ${seen.slow} slow`,
    );
  }
  const ratio = (costs[1] ?? 0) / (costs[0] ?? 1);
  console.log(
    `${engine}, CPU of a token with 2 processes against 1, at most ${GOAL}: ${ratio.toFixed(2)}, ${ratio <= GOAL ? "holds" : "DOES NOT HOLD"}`,
  );
}

async function measure(
  count: number,
  env: Record<string, string>,
  client: Child,
): Promise<{ cost: number; seen: Seen }> {
  const folder = temporaryFolder();
  const server = await startServer(folder.path, { ...env, TACKLE_PROCESSES: String(count) });
  try {
    for (let tries = 0; count > 1 && tries < 300; tries++) {
      const text = await fetch(`${server.url}/metrics`).then((response) => response.text());
      if (text.includes(`tackle_processes ${count}\n`)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const body = JSON.stringify({ message: "Go on talking.", onDisconnect: "cancel" });
    const targets = [{ url: server.url, path: "/chat", body }];
    for (let left = STREAMS, tries = 0; left > 0 && tries < 10; tries++) {
      left -= (await client.ask<Opened>("open", { targets, count: left })).admitted;
      await client.ask("measure", SETTLE_MS);
    }
    const costs: number[] = [];
    let seen: Seen | undefined;
    for (let look = 0; look < LOOKS; look++) {
      const before = treeTime(server.child.pid ?? 0);
      seen = await client.ask<Seen>("measure", LOOK_MS);
      costs.push(((treeTime(server.child.pid ?? 0) - before) * 1000) / seen.tokens);
    }
    if (!seen) throw new Error("nothing was measured");
    return { cost: median(costs), seen };
  } finally {
    await client.ask("close", 0);
    await server.stop();
    folder.remove();
  }
}
