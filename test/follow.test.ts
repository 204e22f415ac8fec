import { afterAll, beforeAll, expect, it } from "vitest";
import { createClient } from "../src/client/chat.ts";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, type Frame, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Distinct words reveal gaps and duplicates. Reasoning between them keeps them from being merged into one event. */
function story(words: number) {
  const frames: Frames = [];
  let text = "";
  for (let index = 0; index < words; index++) {
    const word = `w${index}–é🙂 `;
    text += word;
    frames.push(chunk({ content: word }), chunk({ reasoning_content: `t${index} ` }));
  }
  frames.push({ json: { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] } }, "data: [DONE]\n\n");
  return { text, turn: { frames, gapMs: 3 } };
}

type Frames = (string | { json: unknown })[];

function chunk(delta: object) {
  return { json: { choices: [{ index: 0, delta }] } };
}

it("sends all followers the same bytes, including one that reconnects ten times at random points", async () => {
  const { text, turn } = story(130);
  upstream.play(turn);
  const steady = readFrames(await postChat(server.url, { message: "tell me" }));
  const started = Promise.withResolvers<string>();
  const frames: Frame[] = [];
  const sessions = (await (await fetch(`${server.url}/sessions`)).json()) as {
    sessions: { activeRunId?: string }[];
  };
  started.resolve(sessions.sessions[0]?.activeRunId ?? "");
  const runId = await started.promise;
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  for (let connection = 0; frames.at(-1)?.data !== "[DONE]"; connection++) {
    const wanted = connection < 10 ? 1 + Math.floor(random() * 24) : Number.POSITIVE_INFINITY;
    let count = 0;
    const last = frames.findLast(({ id }) => id !== undefined)?.id ?? 0;
    const response = await fetch(`${server.url}/runs/${runId}/events`, {
      headers: { "last-event-id": String(last) },
    });
    frames.push(...(await readFrames(response, () => ++count < wanted)));
    expect(connection).toBeLessThan(12);
  }
  expect(frames).toEqual(await steady);
  expect(frames.length).toBeGreaterThan(200);
  expect(frames.slice(0, -1).map(({ id }) => id)).toEqual(frames.slice(0, -1).map((_, index) => index + 1));
  expect(reduceAll(eventsOf(frames)).text).toBe(text);
});

it("replays a finished run from any point, by header or by query", async () => {
  upstream.play(chatTurn({ text: "one two three", chunkSize: "word" }));
  const whole = await readFrames(await postChat(server.url, { message: "count" }));
  const { runId } = firstEvent(eventsOf(whole), "session");
  for (const after of [0, 1, 3, whole.length - 2]) {
    const again = await readFrames(await fetch(`${server.url}/runs/${runId}/events?after=${after}`));
    expect(again).toEqual(whole.slice(after));
  }
});

it("starts over for a client that has seen more than there is, while the run goes on and afterwards", async () => {
  const { turn } = story(40);
  upstream.play(turn);
  const response = await postChat(server.url, { message: "lose some" });
  const [first] = await readFrames(response, () => false);
  const { runId } = firstEvent(eventsOf(first ? [first] : []), "session");
  const followed = () =>
    fetch(`${server.url}/runs/${runId}/events`, { headers: { "last-event-id": "9999" } });
  const live = await readFrames(await followed());
  expect(live.slice(0, -1).map(({ id }) => id)).toEqual(live.slice(0, -1).map((_, index) => index + 1));
  expect(eventsOf(live).at(-1)).toMatchObject({ type: "done", finishReason: "stop" });
  const text = await (await followed()).text();
  expect(text).toMatch(/^: [^\n]*starts over\n\nid: 1\ndata: \{"type":"session"/);
});

it("says with a comment when a client has got everything so far", async () => {
  const gate = Promise.withResolvers<void>();
  const whole = chatTurn({ text: "One two three.", chunkSize: "word" });
  upstream.play({
    ...whole,
    frames: [...whole.frames.slice(0, -2), { hold: gate.promise }, ...whole.frames.slice(-2)],
  });
  const response = await postChat(server.url, { message: "stay live" });
  let runId = "";
  await readFrames(response, ({ data }) => {
    runId ||= JSON.parse(data).runId ?? "";
    return !data.includes("three.");
  });
  const followed = await fetch(`${server.url}/runs/${runId}/events?after=0`);
  let text = "";
  for await (const piece of followed.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes(": live\n\n")) gate.resolve();
  }
  const [before = "", after = ""] = text.split(": live\n\n");
  expect(text.match(/^: live$/gm)).toHaveLength(1);
  expect(before).toContain("three.");
  expect(before).not.toContain('"type":"done"');
  expect(after).toContain('"type":"done"');
});

it("continues when its first client disconnects, unless that client asked to cancel", async () => {
  const { text, turn } = story(40);
  upstream.play(turn);
  const response = await postChat(server.url, { message: "go on" });
  const [first] = await readFrames(response, () => false);
  const { runId } = firstEvent(eventsOf(first ? [first] : []), "session");
  const client = createClient(server.url);
  const events = [];
  for await (const { event } of client.follow(runId)) events.push(event);
  expect(reduceAll(events)).toMatchObject({ text, finishReason: "stop" });

  const asked = upstream.requests.length;
  upstream.play({ ...chatTurn({ text: "never ends" }), faults: { silentAfterFrames: 2 } });
  const other = await postChat(server.url, { message: "stop with me", onDisconnect: "cancel" });
  const [start] = await readFrames(other, () => false);
  const stopped = [];
  for await (const { event } of client.follow(firstEvent(eventsOf(start ? [start] : []), "session").runId))
    stopped.push(event);
  expect(stopped.at(-1)).toMatchObject({ type: "done", finishReason: "cancelled" });
  await upstream.requests[asked]?.ended;
});

it("ends with a cancellation when the session is deleted meanwhile", async () => {
  const neverEnds = () =>
    upstream.play({
      ...chatTurn({ text: "It never ends.", chunkSize: "word" }),
      faults: { silentAfterFrames: 3 },
    });
  const deleteSession = async (id: string) =>
    expect((await fetch(`${server.url}/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  neverEnds();
  const response = await postChat(server.url, { message: "tell me" });
  let deleted: Promise<void> | undefined;
  let first = "";
  const frames = await readFrames(response, ({ id, data }) => {
    if (id === 2) deleted = deleteSession(JSON.parse(first).sessionId);
    first ||= data;
    return true;
  });
  await deleted;
  const events = eventsOf(frames);
  const { messageId } = firstEvent(events, "session");
  expect(events.at(-1)).toMatchObject({ type: "done", finishReason: "cancelled", messageId });
});
