import { describe, expect, it, vi } from "vitest";
import type { ToolApp } from "../protocol/apps.ts";
import { Failure } from "../protocol/failure.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { type CallOutcome, failedResult } from "./call.ts";
import { readApp, receivedIn } from "./keep-app.ts";
import { result } from "./testing/conversation.ts";
import { scriptedModel, tool, turnOver } from "./testing/scripted.ts";

const call = { type: "tool_call" as const, id: "call_1", name: "map", arguments: "{}" };
const failed = (cause?: unknown) => {
  const failure = new Failure("TOOL_FAILED", "It broke.", { cause });
  return { failure, result: failedResult(call, failure) };
};
const nested = (depth: number): unknown =>
  depth === 0 ? { result: { isError: true, content: [] } } : { cause: nested(depth - 1) };

it("an interface gets what its server sent", () => {
  const received = { content: [], structuredContent: { at: 7 } };
  expect(receivedIn({ received, result: { output: "seven", success: true } })).toBe(received);
});

it("an interface gets the server's own error, which is among the causes of the failure", () => {
  for (const depth of [0, 1, 3])
    expect(receivedIn(failed(nested(depth))), `${depth}`).toEqual({ isError: true, content: [] });
  expect(receivedIn(failed(nested(4)))).toMatchObject({ content: [{ text: "It broke." }] });
});

it("otherwise it gets the words that the model got", () => {
  const words = (text: string, isError: boolean) => ({ content: [{ type: "text", text }], isError });
  expect(receivedIn({ result: { output: "Fine.", success: true } })).toEqual(words("Fine.", false));
  expect(receivedIn(failed())).toEqual(words("It broke.", true));
  expect(receivedIn(failed("no object"))).toEqual(words("It broke.", true));
});

it("a failed result says whose words it holds", () => {
  expect(failedResult(call, new Failure("TOOL_FAILED", "No."))).toMatchObject({
    success: false,
    output: "No.",
    trust: "trusted",
  });
  expect(failedResult(call, new Failure("TOOL_FAILED", "No."))).not.toHaveProperty("origin");
  const theirs = new Failure("TOOL_FAILED", "No.", { untrusted: true, origin: "workspace" });
  expect(failedResult(call, theirs)).toMatchObject({ trust: "untrusted", origin: "workspace" });
});

describe("the page of an interface", () => {
  const page = { html: "<p>Map</p>" };
  const outcome: CallOutcome = {
    result: result("call_1", "seven"),
    latencyMs: 1,
    retryCount: 0,
    cached: false,
    received: { content: [], structuredContent: { at: 7 } },
  };

  /** Keeps a result of a tool whose page is read like this. */
  async function kept(read: (() => Promise<unknown>) | undefined, given = outcome) {
    const saved: [string, unknown][] = [];
    const { turn } = turnOver(scriptedModel([]).model, {
      change: { keepResult: async (key, whole) => saved.push([key, JSON.parse(whole)]) > 0 },
    });
    const app = read && { server: "maps", resourceUri: "ui://map", read: read as ToolApp["read"] };
    const made = { ...tool("map"), ...(app ? { app } : {}) };
    const context = { ...turn.contextFor(call), toolCallId: "call_1" } as ToolContext;
    await readApp(made, context)(turn, given);
    return saved;
  }
  const record = { server: "maps", resourceUri: "ui://map", result: outcome.received };

  it("is kept with what the server sent", async () => {
    expect(await kept(async () => page)).toEqual([["app:call_1", { ...record, page }]]);
  });

  it("is left out if it cannot be read, or takes longer than five seconds", async () => {
    expect(await kept(() => Promise.reject(new Failure("TOOL_FAILED", "Gone.")))).toEqual([
      ["app:call_1", record],
    ]);
    vi.useFakeTimers();
    try {
      let over = false;
      const keeping = kept(() => new Promise(() => {})).finally(() => {
        over = true;
      });
      await vi.advanceTimersByTimeAsync(4_999);
      expect(over).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await keeping).toEqual([["app:call_1", record]]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not kept for a tool without an interface", async () => {
    expect(await kept(undefined)).toEqual([]);
  });

  it("comes with the text that the model got if the server sent too much", async () => {
    const sent = (length: number) => ({
      ...outcome,
      received: { text: "x".repeat(length - '{"text":""}'.length) },
    });
    const [fits] = await kept(async () => page, sent(5_000_000));
    expect(fits?.[1]).toMatchObject({ result: sent(5_000_000).received });
    const [cut] = await kept(async () => page, sent(5_000_001));
    const words = { content: [{ type: "text", text: "seven" }], isError: false };
    expect(cut?.[1]).toEqual({ ...record, result: words, page });
  });
});
