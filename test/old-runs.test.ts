import { afterAll, beforeAll, expect, it } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
const asked = { message: "What time is it in Paris?" };
const headers = { "idempotency-key": "asked-long-ago" };
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer(folder.path);
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

it("a run can still be followed and joined after its events have been deleted", async () => {
  const events = eventsOf(await readFrames(await postChat(server.url, asked, { headers })));
  const state = reduceAll(events);
  const { runId } = firstEvent(events, "session");
  await server.stop();
  server = await startServer(folder.path, { TACKLE_EVENTS_DAYS: "0.00000001" });
  const follow = (after: number) =>
    fetch(`${server.url}/runs/${runId}/events`, { headers: { "last-event-id": String(after) } });

  await expect.poll(async () => (await follow(1)).status, { timeout: 20_000 }).toBe(404);
  expect(await (await follow(1)).json()).toMatchObject({
    code: "NOT_FOUND",
    error: expect.stringMatching(/ended long ago.*from the start/),
  });
  const frames = await readFrames(await follow(0));
  expect(frames.at(-1)?.data).toBe("[DONE]");
  expect(reduceAll(eventsOf(frames))).toEqual(state);

  const joined = await readFrames(await postChat(server.url, asked, { headers }));
  expect(joined).toEqual(frames);
  const whole = await postChat(server.url, asked, { headers: { ...headers, accept: "application/json" } });
  expect(await whole.json()).toMatchObject({ runId, content: state.text, finishReason: "stop" });
});
