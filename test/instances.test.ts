import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, call, signUp } from "./support/accounts.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, type Frame, firstEvent, postChat, readFrames } from "./support/sse.ts";

const LEASE_MS = 3_000;
const WORDS = Array.from({ length: 60 }, (_, index) => `word-${index}`).join(" ");

const release = findRelease();
const folder = temporaryFolder();
let cluster: Cluster;
let upstream: Upstream;
let one: OwnProcess;
let two: OwnProcess;

/** Starts an instance with its own data directory on the shared database. */
function startInstance(name: string): Promise<OwnProcess> {
  return startOwnServer(`${folder.path}/${name}`, {
    ...modelAt(upstream.url),
    DATABASE_URL: cluster.url,
    TACKLE_LEASE_MS: String(LEASE_MS),
    TACKLE_SECRET: "the same for all instances, and long enough",
    TACKLE_AUTH: "guest",
    TACKLE_GUEST_TOOLS: "change",
    TACKLE_TOOLS_DIR: `${folder.path}/tools`,
    TACKLE_LIMITS: JSON.stringify({
      search: { guest: 37, account: 37 },
      chat: { guest: 1000, account: 1000 },
    }),
  });
}

function writeTool(name: string, fields: string): void {
  mkdirSync(`${folder.path}/tools`, { recursive: true });
  writeFileSync(
    `${folder.path}/tools/${name}.mjs`,
    `import { appendFileSync, readFileSync } from "node:fs";
     export default { name: "${name}", description: "${name}", parameters: { type: "object", properties: {} }, ${fields} };`,
  );
}

/** True once the tool has written its mark. The file is there a moment earlier, and a server that is stopped then has marked nothing. */
function hasRun(name: string): boolean {
  const mark = statSync(`${folder.path}/ran-${name}`, { throwIfNoEntry: false });
  return mark !== undefined && mark.size > 0;
}

/** Hangs on its first run, and counts its runs in a file. */
function hangingOnce(name: string): string {
  const file = JSON.stringify(`${folder.path}/ran-${name}`);
  return `effect: "none", retry: "pure", run: () => {
    appendFileSync(${file}, "x"); return readFileSync(${file}, "utf8").length === 1 ? new Promise(() => {}) : "second time"; }`;
}

/** Returns the headers of a guest whom both instances accept. */
async function newGuest(): Promise<{ authorization: string }> {
  const response = await fetch(`${one.url}/tools`);
  return { authorization: `Bearer ${response.headers.get("x-tackle-guest")}` };
}

type Headers = Record<string, string>;

const follow = async ({ url }: OwnProcess, runId: string, headers: Headers) =>
  readFrames(await fetch(`${url}/runs/${runId}/events`, { headers }));

const post = ({ url }: OwnProcess, path: string, headers: Headers, body: unknown = {}) =>
  fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Starts a turn and reads it until a frame matches. The run continues without this reader. */
async function beginTurn(server: OwnProcess, headers: Headers, until: string) {
  const response = await postChat(server.url, { message: "go" }, { headers });
  const seen = await readFrames(response, ({ data }) => !data.includes(until));
  return { seen, runId: firstEvent(eventsOf(seen), "session").runId };
}

/** Checks that both instances return the same frames of a finished run, numbered without gaps and with one end. */
async function sameEverywhere(runId: string, headers: Headers, seen: Frame[]): Promise<Frame[]> {
  const frames = await follow(one, runId, headers);
  expect(await follow(two, runId, headers)).toEqual(frames);
  expect(frames.slice(0, seen.length)).toEqual(seen);
  expect(frames.slice(0, -1).map(({ id }) => id)).toEqual(frames.slice(0, -1).map((_, index) => index + 1));
  expect(eventsOf(frames).filter(({ type }) => type === "done")).toHaveLength(1);
  return frames;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came to be");
}

describe.skipIf(!release)("two instances on one database", () => {
  beforeAll(async () => {
    if (!release) return;
    cluster = await startCluster(release);
    upstream = await startUpstream();
    upstream.respond(() => chatTurn({ text: "After that." }));
    writeTool("change", 'effect: "write", run: () => "changed"');
    writeTool("seek", 'effect: "none", limit: "search", run: () => "found"');
    writeTool("flaky", 'effect: "none", run() { throw new Error("It broke."); }');
    for (const name of ["hang_killed", "hang_stopped"]) writeTool(name, hangingOnce(name));
    [one, two] = await Promise.all([startInstance("one"), startInstance("two")]);
  });
  afterAll(async () => {
    await Promise.allSettled([one?.stop(), two?.stop()]);
    await upstream?.close();
    await cluster?.dispose();
    folder.remove();
  });

  it("send every follower the same bytes", async () => {
    const headers = await newGuest();
    upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 5 });
    const { seen, runId } = await beginTurn(one, headers, "word-3 ");
    const live = await Promise.all([one, two, two].map((server) => follow(server, runId, headers)));
    const frames = await sameEverywhere(runId, headers, seen);
    for (const followed of live) expect(followed).toEqual(frames);
    expect(reduceAll(eventsOf(frames)).text).toBe(WORDS);
  });

  it("stop a run and its model request when it is cancelled on the other instance", async () => {
    const headers = await newGuest();
    upstream.play({
      ...chatTurn({ text: WORDS, chunkSize: "word" }),
      gapMs: 5,
      faults: { silentAfterFrames: 6 },
    });
    const asked = upstream.received(upstream.requests.length + 1);
    const { seen, runId } = await beginTurn(one, headers, "word-2");
    expect((await post(two, `/runs/${runId}/cancel`, headers)).status).toBe(200);
    const frames = await sameEverywhere(runId, headers, seen);
    expect(firstEvent(eventsOf(frames), "done").finishReason).toBe("cancelled");
    await (await asked).ended;
    expect((await asked).aborted).toBe(true);
  });

  it("accept an approval on the other instance, exactly once", async () => {
    const headers = await newGuest();
    upstream.play(chatTurn({ calls: [{ id: "call_change", name: "change", arguments: {} }] }));
    const { seen, runId } = await beginTurn(one, headers, "tool_approval_required");
    const decide = (server: OwnProcess) =>
      post(server, `/runs/${runId}/approvals/call_change`, headers, { decision: "once" });
    const statuses = (await Promise.all([decide(two), decide(one)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409]);
    const frames = await sameEverywhere(runId, headers, seen);
    expect(firstEvent(eventsOf(frames), "tool_result")).toMatchObject({ success: true, output: "changed" });
  });

  it("start only one run for the same idempotency key on both at the same time", async () => {
    const headers = { ...(await newGuest()), "idempotency-key": "once-only" };
    const before = upstream.requests.length;
    const answers = await Promise.all(
      [one, two, one, two].map(async ({ url }) =>
        readFrames(await postChat(url, { message: "Hello" }, { headers })),
      ),
    );
    for (const frames of answers) expect(frames).toEqual(answers[0]);
    expect(upstream.requests.length).toBe(before + 1);
  });

  it("share exact limits and open breakers", async () => {
    const headers = await newGuest();
    const calls = Array.from({ length: 120 }, (_, index) =>
      post(index % 2 ? one : two, "/tools/seek", headers),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(37);
    expect(statuses.filter((status) => status === 429)).toHaveLength(83);

    for (let failure = 0; failure < 3; failure++)
      expect((await post(one, "/tools/flaky", headers)).status).toBe(500);
    const refused = await post(two, "/tools/flaky", headers);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: "BREAKER_OPEN" });
  });

  it("share accounts, their keys and sign-outs", async () => {
    const ada = await signUp(one, "ada");
    const { key } = await ask<{ key: string }>(two, "POST", "/me/keys", bearer(ada.token), {});
    for (const server of [one, two])
      expect(await ask(server, "GET", "/me", bearer(key))).toMatchObject({ id: ada.id });
    expect((await call(two, "POST", "/auth/sign-out", bearer(ada.token))).ok).toBe(true);
    expect((await call(one, "GET", "/me", bearer(ada.token))).status).toBe(401);
  });

  it.each(["fast", "immediate"] as const)(
    "hide a database restart (%s) during an answer from followers",
    async (how) => {
      const headers = await newGuest();
      upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 20 });
      const { seen, runId } = await beginTurn(one, headers, "word-3");
      const followed = Promise.all([follow(one, runId, headers), follow(two, runId, headers)]);
      await cluster.stop(how);
      await cluster.start();
      const [here, there] = await followed;
      expect(there).toEqual(here);
      expect(await sameEverywhere(runId, headers, seen)).toEqual(here);
      expect(reduceAll(eventsOf(here))).toMatchObject({ finishReason: "stop", text: WORDS });
    },
  );

  it("replace an owner that is paused beyond its lease, which writes nothing after it resumes", async () => {
    const headers = await newGuest();
    upstream.play(chatTurn({ calls: [{ name: "hang_stopped", arguments: {} }] }));
    const { seen, runId } = await beginTurn(one, headers, "tool_executing");
    await until(async () => hasRun("hang_stopped"));
    one.child.kill("SIGSTOP");
    let atTheOther: Frame[];
    try {
      atTheOther = await follow(two, runId, headers);
    } finally {
      one.child.kill("SIGCONT");
    }
    expect(firstEvent(eventsOf(atTheOther), "tool_result")).toMatchObject({
      success: true,
      output: "second time",
    });
    await until(async () => /tackle_owned_runs 0/.test(await (await fetch(`${one.url}/metrics`)).text()));
    expect(await sameEverywhere(runId, headers, seen)).toEqual(atTheOther);
  });

  it("discard the output that a paused owner receives after it lost its lease", async () => {
    const headers = await newGuest();
    upstream.play({ ...chatTurn({ text: WORDS, chunkSize: "word" }), gapMs: 100 });
    const asked = upstream.received(upstream.requests.length + 1);
    const { seen, runId } = await beginTurn(one, headers, "word-3");
    one.child.kill("SIGSTOP");
    let atTheOther: Frame[];
    try {
      atTheOther = await follow(two, runId, headers);
    } finally {
      one.child.kill("SIGCONT");
    }
    expect(reduceAll(eventsOf(atTheOther))).toMatchObject({
      finishReason: "stop",
      notices: [{ event: { type: "run_continued", reason: "crash" } }],
    });
    await (await asked).ended;
    await until(async () => /tackle_owned_runs 0/.test(await (await fetch(`${one.url}/metrics`)).text()));
    expect(await sameEverywhere(runId, headers, seen)).toEqual(atTheOther);
  });

  it("tell an account on one what happens on the other", async () => {
    const headers = await newGuest();
    const stop = new AbortController();
    const told: { type: string; sessionId?: string }[] = [];
    const feed = await fetch(`${two.url}/me/events`, { headers, signal: stop.signal });
    const reading = readFrames(feed, ({ data }) => {
      told.push(JSON.parse(data));
      return true;
    }).catch(() => undefined);
    await until(async () => told.some(({ type }) => type === "ready"));
    upstream.play(chatTurn({ text: "On the first." }));
    const response = await postChat(one.url, { message: "hello there" }, { headers });
    const { sessionId } = firstEvent(eventsOf(await readFrames(response)), "session");
    // Of a session that is deleted, nothing else is told any more.
    await until(async () => told.some(({ type }) => type === "run_ended"));
    await call(one, "PATCH", `/sessions/${sessionId}`, headers, { title: "Mine" });
    await until(async () => told.some(({ type }) => type === "session_renamed"));
    await call(one, "DELETE", `/sessions/${sessionId}`, headers);
    await until(async () => told.some(({ type }) => type === "session_deleted"));
    stop.abort();
    await reading;
    const types = told.filter((event) => event.sessionId === sessionId).map(({ type }) => type);
    for (const type of ["session_created", "run_started", "run_ended", "session_renamed", "session_deleted"])
      expect(types.filter((one) => one === type)).toHaveLength(1);
  });

  it("take over within 1.5 leases after kill -9 of the owner, and lose nothing that a client has seen", async () => {
    const headers = await newGuest();
    upstream.play(chatTurn({ calls: [{ name: "hang_killed", arguments: {} }] }));
    const { seen, runId } = await beginTurn(one, headers, "tool_executing");
    const followed = follow(two, runId, headers);
    await until(async () => hasRun("hang_killed"));
    await one.kill();
    const killedAt = performance.now();
    const frames = await followed;
    const tookMs = performance.now() - killedAt;
    console.info(`taken over and finished ${Math.round(tookMs)} ms after kill -9, lease ${LEASE_MS} ms`);
    expect(tookMs).toBeLessThan(1.5 * LEASE_MS);
    expect(reduceAll(eventsOf(frames))).toMatchObject({ finishReason: "stop", text: "After that." });
    one = await startInstance("one");
    expect(await sameEverywhere(runId, headers, seen)).toEqual(frames);
  });
});
