import { createParser } from "eventsource-parser";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "../test/support/server.ts";

const STREAMS = [1, 10, 50];
const WORDS = 150;
/** Fifty words a second. */
const GAP_MS = 20;
const LIMIT_MS = 15;

/** Measures how much later a follower on another instance sees an event than one on the run's own instance. */
export async function run(): Promise<void> {
  const release = findRelease();
  if (!release) return;
  const folder = temporaryFolder();
  const cluster = await startCluster(release, { durable: true });
  const text = Array.from({ length: WORDS }, (_, index) => `word-${index}`).join(" ");
  const upstream = await startUpstream({
    respond: () => ({ ...chatTurn({ text, chunkSize: "word" }), gapMs: GAP_MS }),
    record: false,
    // The check would be measured, too.
    rules: "off",
  });
  const start = (name: string) =>
    startServer(`${folder.path}/${name}`, { ...modelAt(upstream.url), DATABASE_URL: cluster.url });
  const servers: ServerProcess[] = [];
  try {
    const owner = await start("owner");
    servers.push(owner);
    const other = await start("other");
    servers.push(other);
    console.log(`${release.name}, ${WORDS} words of each stream, one every ${GAP_MS} ms`);
    await measure(owner, other, 5); // Warms up.
    for (const streams of STREAMS) report(streams, await measure(owner, other, streams));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await upstream.close();
    await cluster.dispose();
    folder.remove();
  }
}

function report(streams: number, lags: number[]): void {
  const at = (share: number) => `${(lags[Math.floor(lags.length * share)] ?? 0).toFixed(1)} ms`;
  const verdict = (lags[Math.floor(lags.length / 2)] ?? 0) <= LIMIT_MS ? "within" : "NOT within";
  console.log(
    `${streams} streams, ${lags.length} events: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${at(0.9999)}; p50 ${verdict} ${LIMIT_MS} ms`,
  );
}

/** Returns the sorted differences over all events of all streams. */
async function measure(owner: ServerProcess, other: ServerProcess, streams: number): Promise<number[]> {
  const lags = await Promise.all(Array.from({ length: streams }, () => measureOne(owner, other)));
  return lags.flat().sort((a, b) => a - b);
}

async function measureOne(owner: ServerProcess, other: ServerProcess): Promise<number[]> {
  const response = await fetch(`${owner.url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "Talk." }),
  });
  let there: Promise<Map<string, number>> | undefined;
  const here = await timesOf(response, (data) => {
    const { runId } = JSON.parse(data) as { runId: string };
    there ??= fetch(`${other.url}/runs/${runId}/events`).then((followed) => timesOf(followed));
  });
  const elsewhere = await there;
  if (!elsewhere || elsewhere.size !== here.size) throw new Error("the two followers saw different runs");
  // Events from before the other follower connected do not count.
  return [...here].slice(10).map(([id, time]) => Math.max(0, (elsewhere.get(id) ?? Number.NaN) - time));
}

/** Returns when each event arrived, by its id. */
async function timesOf(response: Response, onFirst?: (data: string) => void): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const parser = createParser({
    onEvent({ id, data }) {
      if (id === undefined) return;
      if (times.size === 0) onFirst?.(data);
      times.set(id, performance.now());
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  return times;
}
