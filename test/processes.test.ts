import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { isLong } from "./support/long.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, type Frame, firstEvent, postChat, readFrames } from "./support/sse.ts";

const WORDS = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(" ");
const GAP_MS = 50;
/** No lease runs out during a test: what goes on was handed over. */
const LEASE_MS = "3600000";

const release = findRelease();
const folder = temporaryFolder();
const started: OwnProcess[] = [];
let upstream: Upstream;
let cluster: Cluster | undefined;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.respond(({ body }) => ({ ...chatTurn({ text: restOf(body), chunkSize: "word" }), gapMs: GAP_MS }));
  if (release) cluster = await startCluster(release);
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});
afterAll(async () => {
  await cluster?.dispose();
  await upstream.close();
  folder.remove();
});

/** Returns the words, or what is missing of them if the model is asked to go on. */
function restOf(body: unknown): string {
  const { messages } = body as { messages: { role: string; content: unknown }[] };
  const said = messages.at(-2);
  const goesOn =
    said?.role === "assistant" && messages.at(-1)?.role === "user" && WORDS.startsWith(String(said.content));
  return goesOn ? WORDS.slice(String(said.content).length) : WORDS;
}

async function start(name: string, env: Record<string, string> = {}): Promise<OwnProcess> {
  const server = await startOwnServer(`${folder.path}/${name}`, {
    ...modelAt(upstream.url),
    TACKLE_PROCESSES: "2",
    TACKLE_LEASE_MS: LEASE_MS,
    ...env,
  });
  started.push(server);
  await untilServing(server);
  return server;
}

async function metricsOf({ url }: OwnProcess): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
}

async function untilServing(server: OwnProcess): Promise<void> {
  await until(async () => (await metricsOf(server)).includes("\ntackle_processes 2\n"));
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await holds()) return;
    await pause(50);
  }
  throw new Error("it never happened");
}

/** The worker processes, the oldest first. */
function workersOf({ child: { pid } }: OwnProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

interface Reader {
  frames: Frame[];
  /** Rejects if the connection breaks. */
  ended: Promise<Frame[]>;
}

/** Reads a stream to its end. What has come before the connection broke stays. */
function read(response: Response): Reader {
  const frames: Frame[] = [];
  const ended = readFrames(response, (frame) => {
    frames.push(frame);
    return true;
  });
  ended.catch(() => undefined);
  return { frames, ended };
}

function follow({ url }: OwnProcess, runId: string, after = 0): Promise<Response> {
  return fetch(`${url}/runs/${runId}/events`, { headers: { "last-event-id": String(after) } });
}

/** Checks that there is every event of the whole answer once. */
function expectWhole(frames: Frame[]): void {
  expect(frames.at(-1)?.data).toBe("[DONE]");
  const numbers = frames.slice(0, -1).map(({ id }) => id);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(reduceAll(eventsOf(frames))).toMatchObject({ text: WORDS, finishReason: "stop" });
}

const ENGINES = release ? ["SQLite", "PostgreSQL"] : ["SQLite"];

describe.each(ENGINES)("two processes on %s", (engine) => {
  const settings = (): Record<string, string> =>
    engine === "SQLite"
      ? {}
      : { DATABASE_URL: cluster?.url ?? "", TACKLE_SECRET: "a secret that all processes of this test share" };

  // What processes do for each other does not depend on the engine: `npm run test:long` tries both.
  const once = it.skipIf(engine !== "SQLite" && !isLong);
  once(
    "share a port, a log and /metrics, and are replaced on SIGHUP under load without a failed request",
    async () => {
      const server = await start(`roll-${engine}`, { ...settings(), TACKLE_LOG: "info" });
      const before = workersOf(server);
      expect(before).toHaveLength(2);
      let stop = false;
      let answered = 0;
      const failed: unknown[] = [];
      const ask = async () => {
        while (!stop) {
          try {
            const response = await fetch(`${server.url}/sessions`);
            await response.text();
            if (!response.ok) failed.push(response.status);
            answered++;
          } catch (thrown) {
            failed.push(thrown);
          }
          await pause(5);
        }
      };
      const talk = async () => {
        while (!stop) {
          const reader = read(await postChat(server.url, { message: "Talk." }));
          await reader.ended.then(expectWhole).catch((thrown: unknown) => failed.push(thrown));
          answered++;
        }
      };
      const load = Promise.all([...Array.from({ length: 4 }, ask), ...Array.from({ length: 6 }, talk)]);
      await pause(1_000);
      server.child.kill("SIGHUP");
      await until(() => server.output().includes("all workers are new"));
      await pause(1_000);
      stop = true;
      await load;
      expect(failed).toEqual([]);
      const after = workersOf(server);
      expect(after.filter((pid) => !before.includes(pid))).toHaveLength(2);

      const metrics = await metricsOf(server);
      const chats = /^tackle_http_requests_total\{route="\/chat",method="POST",status="200"\} (\d+)$/m.exec(
        metrics,
      );
      const asked =
        /^tackle_http_requests_total\{route="\/sessions",method="GET",status="200"\} (\d+)$/m.exec(metrics);
      expect(Number(chats?.[1]) + Number(asked?.[1])).toBe(answered);
      const numbers = server.output().match(/"worker":\d+/g);
      expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4].map((number) => `"worker":${number}`)));
    },
  );

  once("refuse new work with 503 when they stop, and say that they are not ready", async () => {
    const server = await start(`stop-${engine}`, settings());
    const answer = read(await postChat(server.url, { message: "Talk." }));
    await until(() => answer.frames.length > 2);
    server.child.kill("SIGTERM");
    await until(() => server.output().includes("stopping"));
    const ask = (path: string, init?: RequestInit) =>
      fetch(server.url + path, {
        ...init,
        headers: { connection: "close", "content-type": "application/json" },
      });
    await until(async () => (await ask("/readyz")).status === 503);
    for (let count = 0; count < 4; count++) {
      const refused = await ask("/chat", { method: "POST", body: JSON.stringify({ message: "Talk." }) });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
    }
    expectWhole(await answer.ended);
  });

  once(
    "replace one that is killed, and the other continues its answers at once, with every event once",
    async () => {
      const server = await start(`kill-${engine}`, settings());
      const owners = await Promise.all(
        Array.from({ length: 4 }, async () => read(await postChat(server.url, { message: "Talk." }))),
      );
      await until(() => owners.every(({ frames }) => frames.length > 8));
      const runIds = owners.map(({ frames }) => firstEvent(eventsOf(frames), "session").runId);
      const followers = await Promise.all(
        runIds.flatMap((runId) => [1, 2].map(async () => read(await follow(server, runId)))),
      );
      const [victim] = workersOf(server);
      if (victim) process.kill(victim, "SIGKILL");

      const all = [...owners, ...followers];
      const outcomes = await Promise.allSettled(all.map(({ ended }) => ended));
      const cut = outcomes.filter(({ status }) => status === "rejected");
      // One worker held about half of the connections.
      expect(cut.length).toBeGreaterThan(0);
      expect(cut.length).toBeLessThan(all.length);
      for (const [at, { frames }] of all.entries()) {
        const runId = runIds[at < owners.length ? at : Math.floor((at - owners.length) / 2)] ?? "";
        const isWhole = frames.at(-1)?.data === "[DONE]";
        const rest = isWhole ? [] : await read(await follow(server, runId, frames.at(-1)?.id)).ended;
        expectWhole([...frames, ...rest]);
      }
      await untilServing(server);
      expect(await metricsOf(server)).toContain("\ntackle_processes_replaced_total 1\n");
      expect(server.output()).toMatch(/"signal":"SIGKILL","msg":"a worker died and is replaced"/);
    },
  );
});
