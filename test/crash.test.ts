import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, type Frame, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
let upstream: Upstream;
let server: OwnProcess;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.respond(() => chatTurn({ text: "After the restart." }));
  const tools = `${folder.path}/tools`;
  mkdirSync(tools, { recursive: true });
  for (const retry of ["pure", "unsafe"]) writeFileSync(`${tools}/slow_${retry}.mjs`, slowTool(retry));
  writeFileSync(
    `${tools}/change.mjs`,
    `export default { name: "change", description: "Changes.", effect: "write", parameters: { type: "object", properties: {} }, run: () => "changed" };`,
  );
  server = await startOwnServer(folder.path, modelAt(upstream.url));
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  folder.remove();
});

/** Hangs on its first run in a data directory, and counts its runs in a file. */
function slowTool(retry: string): string {
  return `import { appendFileSync, readFileSync } from "node:fs";
    const file = ${JSON.stringify(`${folder.path}/ran-${retry}`)};
    export default { name: "slow_${retry}", description: "Slow.", effect: "none", retry: "${retry}",
      parameters: { type: "object", properties: {} },
      run: () => { appendFileSync(file, "x"); return readFileSync(file, "utf8").length === 1 ? new Promise(() => {}) : "second time"; } };`;
}

async function restart(): Promise<void> {
  await server.kill();
  server = await startOwnServer(folder.path, modelAt(upstream.url));
}

/** Reads a turn until a frame matches, waits until `isReady()`, then kills it with SIGKILL. */
async function crashAt(
  body: unknown,
  matches: (frame: Frame) => boolean,
  isReady = () => true,
): Promise<Frame[]> {
  const seen = await readFrames(await postChat(server.url, body), (frame) => !matches(frame));
  await vi.waitFor(() => expect(isReady()).toBe(true));
  await restart();
  return seen;
}

/** Checks after the restart that every frame seen before is unchanged and that the run ends exactly once. */
async function checkAfterRestart(seen: Frame[]) {
  const { runId, sessionId } = firstEvent(eventsOf(seen), "session");
  const frames = await readFrames(await fetch(`${server.url}/runs/${runId}/events`));
  expect(frames.slice(0, seen.length)).toEqual(seen);
  expect(frames.slice(0, -1).map(({ id }) => id)).toEqual(frames.slice(0, -1).map((_, index) => index + 1));
  const events = eventsOf(frames);
  expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
  const { messages } = (await (await fetch(`${server.url}/sessions/${sessionId}/messages`)).json()) as {
    messages: { role: string; content: string }[];
  };
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[1]?.content).toBe(reduceAll(events).text);
  return { events, state: reduceAll(events), sessionId };
}

describe("kill -9", () => {
  it("during a stream keeps everything the client saw, and the answer is finished", async () => {
    upstream.play({
      ...chatTurn({ text: "one two three four", chunkSize: "word" }),
      gapMs: 10,
      faults: { silentAfterFrames: 4 },
    });
    const seen = await crashAt({ message: "tell" }, ({ data }) => data.includes("three"));
    const { events, state } = await checkAfterRestart(seen);
    expect(state).toMatchObject({ finishReason: "stop" });
    expect(state.text).toContain("one two three");
    expect(state.text).toMatch(/After the restart\.$/);
    expect(events.find(({ type }) => type === "run_continued")).toEqual({
      type: "run_continued",
      reason: "crash",
    });
  });

  it("before the first token repeats the model request, and the answer arrives", async () => {
    upstream.play({ ...chatTurn({ text: "never" }), faults: { beforeHeaders: "silence" } });
    const asked = upstream.received(upstream.requests.length + 1);
    const response = await postChat(server.url, { message: "hello" });
    const [first] = await readFrames(response, () => false);
    await asked;
    await restart();
    const { state } = await checkAfterRestart(first ? [first] : []);
    expect(state).toMatchObject({ finishReason: "stop", text: "After the restart." });
  });

  it.each([
    ["pure", { success: true, output: "second time" }],
    ["unsafe", { success: false, error: { code: "TOOL_OUTCOME_UNKNOWN", status: 409 } }],
  ])("during a tool with retry %s reruns it only if that is safe", async (retry, expected) => {
    upstream.play(chatTurn({ calls: [{ name: `slow_${retry}`, arguments: {} }] }));
    // The client gets the event shortly before the tool starts. A file that is still empty does not count as a first time.
    const seen = await crashAt(
      { message: "work" },
      ({ data }) => data.includes("tool_executing"),
      () => existsSync(`${folder.path}/ran-${retry}`) && statSync(`${folder.path}/ran-${retry}`).size > 0,
    );
    const { events, state } = await checkAfterRestart(seen);
    expect(firstEvent(events, "tool_result")).toMatchObject(expected);
    expect(state.finishReason).toBe("stop");
  });

  it("during a pending approval keeps it open, and the decision still counts", async () => {
    upstream.play(chatTurn({ calls: [{ id: "call_change", name: "change", arguments: {} }] }));
    const seen = await crashAt({ message: "change it" }, ({ data }) =>
      data.includes("tool_approval_required"),
    );
    const { runId, sessionId } = firstEvent(eventsOf(seen), "session");
    const session = (await (await fetch(`${server.url}/sessions/${sessionId}`)).json()) as {
      activeRunId?: string;
    };
    expect(session.activeRunId).toBe(runId);
    const decide = (decision: string) =>
      fetch(`${server.url}/runs/${runId}/approvals/call_change`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ decision }),
      });
    expect((await decide("once")).ok).toBe(true);
    const { events } = await checkAfterRestart(seen);
    expect(events.filter(({ type }) => type === "tool_approval_required")).toHaveLength(1);
    expect(firstEvent(events, "tool_result")).toMatchObject({ success: true, output: "changed" });
    expect((await decide("deny")).status).toBe(409);
  });

  it("right at the end leaves one end event and a complete transcript", async () => {
    upstream.play(chatTurn({ text: "The end." }));
    const seen = await crashAt({ message: "end" }, ({ data }) => data.includes('"done"'));
    const { state } = await checkAfterRestart(seen);
    expect(state).toMatchObject({ finishReason: "stop", text: "The end." });
  });
});

it("a second server on the same data directory exits with one clear line", async () => {
  const refused = startOwnServer(folder.path);
  await expect(refused).rejects.toThrow(/in use by process \d+/);
});
