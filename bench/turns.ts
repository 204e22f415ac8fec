import { setTimeout as pause } from "node:timers/promises";
import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream } from "../src/sim/upstream.ts";
import { findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { modelAt, startOwnServer, temporaryFolder } from "../test/support/server.ts";
import { treeTime } from "./load/machine.ts";
import { median } from "./load/rounds.ts";

const TURNS = 2_000;
const WARM_UP = 1_000;
const AT_ONCE = 8;
const TURNS_EACH = 25;
/** Short and long conversations are measured in turns, because the speed of a machine changes. */
const ROUNDS = 5;
const TOKENS = 20;
const SHORT_HISTORY = 10;
const LONG_HISTORY = 1_000;
/** A server that takes less of a core than this is idle. */
const IDLE_SHARE = 0.03;
const LOOK_MS = 1_000;
const MOST_LOOKS = 30;
const MOST_CPU_MS = 1.5;
const MOST_RATIO = 1.2;
const NO_LIMIT = JSON.stringify({ chat: { guest: 1e6, account: 1e6 } });

/**
 * Measures what a short turn costs: a message, an answer of 20 tokens from a vendor over HTTP, streamed and stored, with the
 * journal on. Then the same as the next turn of a short and of a long conversation, on SQLite and on PostgreSQL. CPU time of the
 * server's process.
 */
export async function run(): Promise<void> {
  const text = "word ".repeat(TOKENS).trim();
  const upstream = await startUpstream({
    respond: () => chatTurn({ text, chunkSize: "word" }),
    record: false,
  });
  const release = findRelease();
  const cluster = release && (await startCluster(release, { durable: true }));
  try {
    const model = { ...modelAt(upstream.url), TACKLE_LIMITS: NO_LIMIT };
    await measure("SQLite", model);
    if (cluster) await measure(release.name, { ...model, DATABASE_URL: cluster.url });
  } finally {
    await cluster?.dispose();
    await upstream.close();
  }
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const folder = temporaryFolder();
  const server = await startOwnServer(folder.path, env);
  try {
    const pid = server.child.pid ?? 0;
    await turns(server.url, WARM_UP);
    const began = performance.now();
    const cost = await costOf(pid, TURNS, () => turns(server.url, TURNS));
    const perSecond = TURNS / ((performance.now() - began) / 1000);
    // The figure is about one machine, so about SQLite.
    const isCounted = env.DATABASE_URL === undefined;
    console.log(
      `${engine}: a short turn takes ${cost.toFixed(2)} ms of CPU${isCounted ? ` (figure: at most ${MOST_CPU_MS})` : ""}, ${perSecond.toFixed(0)} a second`,
    );
    const pairs: { short: number; long: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      pairs.push({
        short: await nextTurnCost(server.url, pid, SHORT_HISTORY),
        long: await nextTurnCost(server.url, pid, LONG_HISTORY),
      });
    const [short, long] = [median(pairs.map((pair) => pair.short)), median(pairs.map((pair) => pair.long))];
    const ratio = median(pairs.map((pair) => pair.long / pair.short));
    console.log(
      `${engine}: the next turn takes ${short.toFixed(2)} ms after ${SHORT_HISTORY} messages and ${long.toFixed(2)} after ${LONG_HISTORY}, × ${ratio.toFixed(2)} in the median of ${ROUNDS} pairs (figure: at most ${MOST_RATIO})`,
    );
    if ((isCounted && cost > MOST_CPU_MS) || ratio > MOST_RATIO) process.exitCode = 1;
  } finally {
    await server.stop();
    folder.remove();
  }
}

/** CPU milliseconds of one of so many. */
async function costOf(pid: number, count: number, work: () => Promise<unknown>): Promise<number> {
  const before = treeTime(pid);
  await work();
  await pause(500); // What the answers leave to do belongs to them.
  return (treeTime(pid) - before) / count;
}

async function turns(url: string, count: number, request: object = {}): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const response = await fetch(`${url}/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "hello", ...request }),
      });
      const said = await response.text();
      if (!said.includes('"type":"done"')) throw new Error(`a turn failed: ${said.slice(-300)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
}

/** CPU milliseconds of a turn in conversations that begin with so many messages. */
async function nextTurnCost(url: string, pid: number, messages: number): Promise<number> {
  const ids = await Promise.all(Array.from({ length: AT_ONCE }, () => conversation(url, messages)));
  const each = () =>
    Promise.all(
      ids.map(async (sessionId) => {
        for (let turn = 0; turn < TURNS_EACH; turn++) await turns(url, 1, { sessionId });
      }),
    );
  await each(); // Warms up.
  await idle(pid);
  return costOf(pid, ids.length * TURNS_EACH, each);
}

/** Resolves once the server has done what an import leaves to do, such as indexing a thousand messages for the search. */
async function idle(pid: number): Promise<void> {
  for (let left = MOST_LOOKS; left > 0; left--) {
    const before = treeTime(pid);
    await pause(LOOK_MS);
    if (treeTime(pid) - before < LOOK_MS * IDLE_SHARE) return;
  }
}

async function conversation(url: string, messages: number): Promise<string> {
  const node = (at: number) => ({
    id: `m${at}`,
    parent: at === 0 ? null : `m${at - 1}`,
    children: at === messages - 1 ? [] : [`m${at + 1}`],
    message: {
      id: `m${at}`,
      author: { role: at % 2 === 0 ? "user" : "assistant" },
      content: { content_type: "text", parts: ["A sentence of an ordinary conversation."] },
    },
  });
  const mapping = Object.fromEntries(Array.from({ length: messages }, (_, at) => [`m${at}`, node(at)]));
  const response = await fetch(`${url}/sessions/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ title: "history", mapping, current_node: `m${messages - 1}` }),
  });
  const { sessions } = (await response.json()) as { sessions: { id: string }[] };
  const id = sessions[0]?.id;
  if (id === undefined) throw new Error(`the conversation could not be imported: ${response.status}`);
  return id;
}
