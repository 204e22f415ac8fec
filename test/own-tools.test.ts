import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ChatEvent, EventOf } from "../src/protocol/events.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../src/sim/upstream.ts";
import {
  modelAt,
  type ServerProcess,
  startOwnServer,
  startServer,
  temporaryFolder,
} from "./support/server.ts";
import { chat, postChat, readFrames } from "./support/sse.ts";

// People's own tools as the documentation describes them, in a folder of a real server.

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const EVERYTHING = `export default {
  name: "everything", description: "Tries everything.", effect: "none", trust: "trusted",
  parameters: { type: "object", properties: { how: { type: "string" } }, required: ["how"] },
  async run({ how }, ctx) {
    if (how === "context") {
      const { id, kind } = ctx.principal;
      return JSON.stringify({ id, kind, requestId: typeof ctx.requestId, aborted: ctx.signal.aborted });
    }
    if (how === "progress") {
      ctx.progress("a third", 33);
      ctx.progress("a word");
      ctx.progress({ message: "an object", percent: 66, chunk: "line\\n" });
      ctx.progress("not a number", Number.NaN);
      return "done";
    }
    if (how === "late") {
      setTimeout(() => { throw new Error("too late"); }, 20);
      void Promise.reject(new Error("nobody waits for this"));
      return { output: "fine so far", data: { count: 12n } };
    }
    if (how === "flood") {
      for (let step = 1; step <= 100_000; step++) ctx.progress("step " + step);
      return "done";
    }
    if (how === "ask") {
      const one = await ctx.ask("Which?", ["red", "blue"]);
      const two = await ctx.ask("And why?");
      return one + " because " + two;
    }
    if (how === "error") return { output: "the disk is full", isError: true };
    return {
      output: "text", data: { answer: 42 }, images: [{ mimeType: "image/png", base64: "${PIXEL}" }],
      resources: [{ uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes" }, "https://example.com/a"],
    };
  },
};`;
const MADE = `export default ({ defineTool, z }) => defineTool({
  name: "made", description: "Made with a schema.", effect: "none", retry: "pure",
  input: z.object({ count: z.number() }),
  run({ count }, ctx) { ctx.progress("counting", count); return { output: "no", isError: count > 1 }; },
});`;

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;
beforeAll(async () => {
  const tools = join(folder.path, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "everything.mjs"), EVERYTHING);
  writeFileSync(join(tools, "made.mjs"), MADE);
  upstream = await startUpstream({ respond: () => chatTurn({ text: "Done." }) });
  server = await startServer(join(folder.path, "data"), {
    ...modelAt(upstream.url),
    TACKLE_TOOLS_DIR: tools,
  });
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

/** Lets the model call a tool, and returns the events. */
async function run(name: string, args: object): Promise<ChatEvent[]> {
  upstream.play(chatTurn({ calls: [{ name, arguments: args }] }));
  return chat(server.url, { message: "use it" });
}

function resultIn(events: ChatEvent[]): EventOf<"tool_result"> | undefined {
  return events.find((event) => event.type === "tool_result");
}

it("know who asks, and in which request", async () => {
  const { output = "" } = resultIn(await run("everything", { how: "context" })) ?? {};
  expect(JSON.parse(output)).toEqual({ id: "local", kind: "owner", requestId: "string", aborted: false });
});

it("tell their progress with a sentence and a percentage, or with an object", async () => {
  const progress = (await run("everything", { how: "progress" })).filter(
    ({ type }) => type === "tool_progress",
  );
  expect(progress).toMatchObject([
    { message: "a third", percent: 33 },
    { message: "a word" },
    { message: "an object", percent: 66, chunk: "line\n" },
    { message: "not a number" },
  ]);
  expect(progress[3]).not.toHaveProperty("percent");
  expect((await run("made", { count: 1 })).filter(({ type }) => type === "tool_progress")).toMatchObject([
    { message: "counting", percent: 1 },
  ]);
});

it("ask the person with a list of options, and for their own words", async () => {
  upstream.play(chatTurn({ calls: [{ name: "everything", arguments: { how: "ask" } }] }));
  const answers = ["blue", "it is calm"];
  let runId = "";
  let output = "";
  await readFrames(await postChat(server.url, { message: "use it" }), ({ data }) => {
    const event = data === "[DONE]" ? {} : JSON.parse(data);
    if (event.type === "session") runId = event.runId;
    if (event.type === "tool_result") output = event.output;
    if (event.type === "question_required")
      void fetch(`${server.url}/runs/${runId}/answers/${event.toolCallId}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ answer: answers.shift() }),
      });
    return true;
  });
  expect(output).toBe("blue because it is calm");
});

it("return images and resources, which the model gets", async () => {
  const events = await run("everything", { how: "all" });
  expect(resultIn(events)).toMatchObject({
    success: true,
    output:
      "text\n\n[resource: file:///notes.md, text/markdown]\n# Notes\n\n[resource: https://example.com/a]",
  });
  expect(events.some(({ type }) => type === "image_complete")).toBe(true);
  expect(upstream.requests.at(-1)?.text).toContain(PIXEL);
  const direct = await fetch(`${server.url}/tools/everything`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ how: "all" }),
  });
  expect(await direct.json()).toMatchObject({ success: true, data: { answer: 42 } });
});

it("can report progress as often as they like, and the person gets a few reports a second", async () => {
  const events = await run("everything", { how: "flood" });
  const told = events.flatMap((event) => (event.type === "tool_progress" ? [event.message] : []));
  expect(told.length).toBeLessThan(500);
  expect(told.at(-1)).toBe("step 100000");
});

it("end nobody's work if they throw after their call", async () => {
  const own = await startOwnServer(join(folder.path, "late"), {
    ...modelAt(upstream.url),
    TACKLE_TOOLS_DIR: join(folder.path, "tools"),
  });
  const call = { method: "POST", headers: { "content-type": "application/json" }, body: '{"how":"late"}' };
  const answer = await fetch(`${own.url}/tools/everything`, call);
  expect(await answer.json()).toMatchObject({ output: "fine so far", data: { count: "12" } });
  await vi.waitFor(() => expect(own.output()).toContain("one of your tools threw outside of its call"));
  expect((await fetch(`${own.url}/healthz`)).status).toBe(200);
  expect(await own.stop()).toBe(0);
});

it("report errors in their own words", async () => {
  for (const [name, args, words] of [
    ["everything", { how: "error" }, "the disk is full"],
    ["made", { count: 2 }, "no"],
  ] as const)
    expect(resultIn(await run(name, args))).toMatchObject({
      success: false,
      error: { code: "TOOL_FAILED", message: expect.stringContaining(words) },
    });
});
