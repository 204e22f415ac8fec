import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatEvent } from "../src/protocol/events.ts";
import { reduceAll } from "../src/protocol/reduce.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { isLong } from "./support/long.ts";
import { type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const release = isLong ? findRelease() : undefined;
const engines = [["SQLite"], ...(release ? [["PostgreSQL"]] : [])];
const folder = temporaryFolder();
let cluster: Cluster | undefined;

beforeAll(async () => {
  if (release) cluster = await startCluster(release);
});
afterAll(async () => {
  await cluster?.dispose();
  folder.remove();
});

describe.each(engines)("child runs on %s", (engine) => {
  const root = `${folder.path}/${engine}-root`;
  let server: OwnProcess;
  const start = async () => {
    server = await startOwnServer(`${folder.path}/${engine}`, {
      TACKLE_ROOTS: root,
      TACKLE_LEASE_MS: "1000",
      TACKLE_DEMO_TOKENS_PER_SECOND: "30",
      TACKLE_SECRET: "the same for all instances, and long enough",
      ...(engine === "PostgreSQL" && cluster ? { DATABASE_URL: cluster.url } : {}),
    });
  };
  beforeAll(async () => {
    mkdirSync(root);
    await start();
  });
  afterAll(() => server.stop());

  const restart = async () => {
    await server.kill();
    await start();
  };
  const eventsTo = async (runId: string, last: (event: ChatEvent) => boolean) => {
    const frames = await readFrames(
      await fetch(`${server.url}/runs/${runId}/events`),
      (frame) => !eventsOf([frame]).some(last),
    );
    return eventsOf(frames);
  };
  const count = (events: ChatEvent[], type: ChatEvent["type"]) =>
    events.filter((event) => event.type === type).length;

  it("a killed process leaves a child that waits, which is decided in the root run and goes on", async () => {
    const response = await postChat(server.url, { message: "Let a helper write hello to a.txt" });
    const seen = eventsOf(
      await readFrames(response, ({ data }) => !data.includes('"type":"tool_approval_required"')),
    );
    const { runId } = firstEvent(seen, "session");
    const { toolCallId, argumentsHash } = firstEvent(seen, "tool_approval_required");
    await restart();
    await eventsTo(runId, ({ type }) => type === "tool_approval_required");
    const decided = await fetch(`${server.url}/runs/${runId}/approvals/${encodeURIComponent(toolCallId)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "once", argumentsHash }),
    });
    expect(decided.status).toBeLessThan(300);
    const events = await eventsTo(runId, ({ type }) => type === "done");
    const state = reduceAll(events);
    expect(state.finishReason).toBe("stop");
    expect(count(events, "child_run")).toBe(1);
    expect(count(events, "tool_approval_required")).toBe(1);
    expect(count(events, "tool_result")).toBe(2);
    expect(state.text).toContain("a.txt");
    expect(readFileSync(`${root}/a.txt`, "utf8")).toBe("hello\n");
    const { sessions } = (await (await fetch(`${server.url}/sessions`)).json()) as { sessions: unknown[] };
    expect(sessions).toHaveLength(1);
  });

  it("a killed process leaves a child's question, which still counts as waiting and is answered", async () => {
    const response = await postChat(server.url, { message: "Let a helper ask me whether I like tea" });
    const seen = eventsOf(
      await readFrames(response, ({ data }) => !data.includes('"type":"question_required"')),
    );
    const { runId } = firstEvent(seen, "session");
    const { toolCallId } = firstEvent(seen, "question_required");
    await restart();
    const answered = await fetch(`${server.url}/runs/${runId}/answers/${encodeURIComponent(toolCallId)}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ answer: "yes" }),
    });
    expect(answered.status).toBe(200);
    const events = await eventsTo(runId, ({ type }) => type === "done");
    const ofCall = events.filter((event) => "toolCallId" in event && event.toolCallId === toolCallId);
    // A call that runs waits for nobody: `GET /me/questions` would leave it out.
    expect(ofCall.map(({ type }) => type)).toEqual([
      "tool_call_start",
      "question_required",
      "question_answered",
      "tool_result",
    ]);
  });

  it("a process killed while children work goes on with the same children", async () => {
    const response = await postChat(server.url, {
      message: "Delegate: get the time in Tokyo; get the time in Paris",
    });
    let begun = 0;
    const seen = eventsOf(
      await readFrames(response, ({ data }) => !(data.includes('"type":"child_run"') && ++begun === 2)),
    );
    const { runId } = firstEvent(seen, "session");
    const children = seen.flatMap((event) => (event.type === "child_run" ? [event.runId] : []));
    await restart();
    const events = await eventsTo(runId, ({ type }) => type === "done");
    expect(events.flatMap((event) => (event.type === "child_run" ? [event.runId] : []))).toEqual(children);
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(results.map(({ success }) => success)).toEqual([true, true]);
    expect(reduceAll(events)).toMatchObject({ finishReason: "stop" });
    expect(existsSync(`${root}/a.txt`)).toBe(true);
  });
});
