import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, type Frame, firstEvent, postChat, readFrames } from "./support/sse.ts";

const WORDS = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(" ");

const release = findRelease();
const folder = temporaryFolder();
let upstream: Upstream;
const started: OwnProcess[] = [];
const HANGING = ["hang_here", "hang_there"];
/** Has one letter for every time that the tool ran. */
const ranFile = (name: string) => `${folder.path}/ran-${name}`;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.respond(({ body }) => chatTurn({ text: restOf(body) ?? "After the restart." }));
  mkdirSync(`${folder.path}/tools`, { recursive: true });
  for (const name of HANGING) writeFileSync(`${folder.path}/tools/${name}.mjs`, hangingOnce(name));
  writeFileSync(
    `${folder.path}/tools/change.mjs`,
    `export default { name: "change", description: "Changes.", effect: "write", parameters: { type: "object", properties: {} }, run: () => "changed" };`,
  );
});
afterEach(async () => {
  for (const server of started.splice(0)) {
    await server.kill();
    rmSync(server.dataDir, { recursive: true, force: true });
  }
  for (const name of HANGING) rmSync(ranFile(name), { force: true });
});
afterAll(async () => {
  await upstream.close();
  folder.remove();
});

/** Returns what is missing of WORDS, if the model is asked to go on with them. */
function restOf(body: unknown): string | undefined {
  const { messages } = body as { messages: { role: string; content: unknown }[] };
  const said = messages.at(-2);
  const goesOn = said?.role === "assistant" && WORDS.startsWith(String(said.content));
  return goesOn ? WORDS.slice(String(said.content).length) : undefined;
}

/** Hangs on its first run, so that only the next process can finish it. */
function hangingOnce(name: string): string {
  return `import { appendFileSync, readFileSync } from "node:fs";
    const file = ${JSON.stringify(ranFile(name))};
    export default { name: "${name}", description: "Hangs.", effect: "none", retry: "pure", parameters: { type: "object", properties: {} },
      run: () => { appendFileSync(file, "x"); return readFileSync(file, "utf8").length === 1 ? new Promise(() => {}) : "second time"; } };`;
}

async function start(name: string, env: Record<string, string> = {}): Promise<OwnProcess> {
  const server = await startOwnServer(`${folder.path}/${name}`, {
    ...modelAt(upstream.url),
    TACKLE_TOOLS_DIR: `${folder.path}/tools`,
    ...env,
  });
  started.push(server);
  return server;
}

/** Sends SIGTERM and resolves when the server reports that it drains. */
async function drain(server: OwnProcess): Promise<{ exited: Promise<number> }> {
  const exited = once(server.child, "exit").then(([code]) => Number(code));
  server.child.kill("SIGTERM");
  for (let tries = 0; tries < 400; tries++) {
    const response = await fetch(`${server.url}/readyz`);
    if (response.status === 503) {
      expect(await response.json()).toEqual({ ok: false, checks: { server: "draining" } });
      return { exited };
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the server never said that it drains");
}

/** Starts a turn whose frames are read to the end of the connection. */
async function begin(server: OwnProcess, message: string, until: string) {
  const reached = Promise.withResolvers<void>();
  const response = await postChat(server.url, { message });
  const frames = readFrames(response, (frame) => {
    if (frame.data.includes(until)) reached.resolve();
    return true;
  });
  await reached.promise;
  return { frames };
}

/** Resumes where a follower was cut off, and checks that all frames are numbered without gaps and end once. */
async function goOn(server: OwnProcess, seen: Frame[]) {
  const { runId } = firstEvent(eventsOf(seen), "session");
  const headers = { "last-event-id": String(seen.at(-1)?.id) };
  const rest = await readFrames(await fetch(`${server.url}/runs/${runId}/events`, { headers }));
  const frames = [...seen, ...rest];
  expect(frames.at(-1)?.data).toBe("[DONE]");
  expect(frames.slice(0, -1).map(({ id }) => id)).toEqual(frames.slice(0, -1).map((_, index) => index + 1));
  expect(await readFrames(await fetch(`${server.url}/runs/${runId}/events`))).toEqual(frames);
  return reduceAll(eventsOf(frames));
}

describe("SIGTERM", () => {
  it("finishes a running answer, refuses new requests with 503, and exits with 0", async () => {
    const server = await start("ends", { TACKLE_GRACE_MS: "60000" });
    upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 60 });
    const { frames } = await begin(server, "tell", "word-3");
    const { exited } = await drain(server);

    const refused = await postChat(server.url, { message: "one more" });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: "RESOURCE_EXHAUSTED", retryable: true });

    const seen = await frames;
    expect(seen.at(-1)?.data).toBe("[DONE]");
    expect(reduceAll(eventsOf(seen)).text).toBe(WORDS);
    expect(await exited).toBe(0);
  });

  it("finishes it too after one Ctrl-C, which npm passes on to a server that the terminal has told already", async () => {
    const server = await start("interrupted", { TACKLE_GRACE_MS: "60000" });
    upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 60 });
    const { frames } = await begin(server, "tell", "word-3");
    const exited = once(server.child, "exit").then(([code]) => Number(code));
    server.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 50));
    server.child.kill("SIGINT");
    expect(reduceAll(eventsOf(await frames)).text).toBe(WORDS);
    expect(await exited).toBe(0);
  });

  it("stops at once when Ctrl-C is pressed again", async () => {
    const server = await start("at-once", { TACKLE_GRACE_MS: "60000" });
    upstream.play(chatTurn({ calls: [{ name: "hang_here", arguments: {} }] }));
    const { frames } = await begin(server, "go", "tool_executing");
    const broken = expect(frames).rejects.toThrow("terminated");
    const exited = once(server.child, "exit").then(([code]) => Number(code));
    server.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 700));
    server.child.kill("SIGINT");
    expect(await exited).toBe(130);
    await broken;
  });

  it("hands over a run that does not end in time: the follower is told, and the next process continues it", async () => {
    const server = await start("handed", { TACKLE_GRACE_MS: "4000" });
    upstream.play(chatTurn({ calls: [{ name: "hang_here", arguments: {} }] }));
    const response = await postChat(server.url, { message: "go" });
    const raw = response.clone().text();
    const begun = Promise.withResolvers<void>();
    const seen = readFrames(response, ({ data }) => {
      if (data.includes("tool_executing")) begun.resolve();
      return true;
    });
    // A call that has not begun would be made by the next process, and hang there.
    await begun.promise;
    const { exited } = await drain(server);
    expect(await exited).toBe(0);
    expect((await seen).at(-1)?.data).not.toBe("[DONE]");
    expect(await raw).toMatch(/\n: the server is restarting, connect again and go on from the last id\n\n$/);

    const state = await goOn(await start("handed"), await seen);
    expect(state).toMatchObject({ text: "After the restart.", finishReason: "stop" });
  });

  it("hands over half an answer, which the next process finishes without an error", async () => {
    const server = await start("half", { TACKLE_GRACE_MS: "4000" });
    upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 100 });
    const { frames } = await begin(server, "tell", "word-3");
    expect(await server.stop()).toBe(0);
    const seen = await frames;
    expect(eventsOf(seen).map(({ type }) => type)).not.toContain("error");
    const state = await goOn(await start("half"), seen);
    expect(state).toMatchObject({ text: WORDS, finishReason: "stop" });
    expect(state.error).toBeUndefined();
    expect(state.notices).toMatchObject([{ event: { type: "run_continued", reason: "crash" } }]);
  });

  it("does not wait for a pending approval, which can be decided after the restart", async () => {
    const server = await start("asked", { TACKLE_GRACE_MS: "600000" });
    upstream.play(chatTurn({ calls: [{ name: "change", arguments: {} }] }));
    const { frames } = await begin(server, "go", "tool_approval");
    expect(await server.stop()).toBe(0);
    const seen = await frames;
    const next = await start("asked");
    const { runId } = firstEvent(eventsOf(seen), "session");
    const [call] = Object.values(reduceAll(eventsOf(seen)).blocks).flatMap((block) =>
      block.type === "tool" ? [block.call] : [],
    );
    const decided = await fetch(`${next.url}/runs/${runId}/approvals/${call?.toolCallId}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "once" }),
    });
    expect(decided.ok).toBe(true);
    expect(await goOn(next, seen)).toMatchObject({ text: "After the restart.", finishReason: "stop" });
  });

  it.skipIf(!release)("lets another instance on PostgreSQL take over the runs at once", async () => {
    if (!release) return;
    const cluster = await startCluster(release);
    try {
      // With a lease of one hour, no instance looks for dead owners during this test.
      const shared = { DATABASE_URL: cluster.url, TACKLE_LEASE_MS: "3600000", TACKLE_GRACE_MS: "4000" };
      const [one, two] = await Promise.all([start("one", shared), start("two", shared)]);
      upstream.play(chatTurn({ calls: [{ name: "hang_there", arguments: {} }] }));
      const { frames } = await begin(one, "go", "hang_there");
      upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 100 });
      const half = await begin(one, "tell", "word-2");
      expect(await one.stop()).toBe(0);
      expect(await goOn(two, await frames)).toMatchObject({ text: "After the restart." });
      expect(await goOn(two, await half.frames)).toMatchObject({ text: WORDS, finishReason: "stop" });
      const metrics = await (await fetch(`${two.url}/metrics`)).text();
      expect(metrics).toContain("tackle_run_takeovers_total 2");
      expect(metrics).toMatch(/^tackle_pool_open [1-9]/m);
    } finally {
      for (const server of started.splice(0)) await server.kill();
      await cluster.dispose();
    }
  });
});
