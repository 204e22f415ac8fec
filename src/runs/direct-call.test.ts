import { expect, it } from "vitest";
import { createGuard } from "../guard/pipeline.ts";
import { policyFile } from "../guard/policy.ts";
import { tool } from "../loop/testing/scripted.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import { Failure } from "../protocol/failure.ts";
import type { DirectUsage } from "../protocol/ledger.ts";
import { PastResults } from "../protocol/past-results.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import { callDirectly, type DirectCallOptions, type DirectCallParts, directContext } from "./direct-call.ts";
import { registryOf } from "./testing/registry.ts";

const ada: Principal = { id: "ada", kind: "account" };
const running = new AbortController().signal;
const sandbox = { tier: "none", detail: "", improve: "" } as const;

/** Calls one of these tools, behind real layers. */
function caller(tools: Tool[], policy: unknown = {}, change: Partial<DirectCallParts> = {}) {
  const recorded: DirectUsage[] = [];
  const spending = { usage: { inputTokens: 0, outputTokens: 0 }, model: "side/model" };
  const contextFor = (principal: Principal) => ({ principal, roots: [], now: () => new Date(), spending });
  const parts: DirectCallParts = {
    guard: createGuard({
      policy: policyFile.parse(policy),
      execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
    }),
    registry: registryOf({
      get: (name) => tools.find((one) => one.name === name || one.aliases.includes(name)),
      list: () => tools,
    }),
    callContexts: { sandbox, contextFor },
    verdictOf: () => undefined,
    store: {
      async recordUsage(usage) {
        recorded.push(usage);
      },
    },
    ...change,
  };
  const call = (name: string, args: Record<string, unknown> = {}, options?: DirectCallOptions, who = ada) =>
    callDirectly(parts, who, name, args, running, options);
  return { call, recorded, spending };
}

it("returns the tool's output, under the tool's own name", async () => {
  const { call, recorded } = caller([tool("echo", { aliases: ["say"] })]);
  const result = await call("say", { value: 1 });
  expect(result).toEqual({
    success: true,
    toolName: "echo",
    output: '{"value":1}',
    latencyMs: expect.any(Number),
    retryCount: 0,
  });
  expect(recorded).toEqual([]);
});

it("tells the tool the id of its request, and the caller how often a failed call was repeated", async () => {
  let seen: string | undefined;
  const failing = tool("break", {
    run: (_, { requestId, spending }) => {
      seen = requestId;
      if (spending) spending.retryCount = 2;
      throw new Failure("UPSTREAM_ERROR", "It is down.", { details: { retryCount: 1, upstreamStatus: 503 } });
    },
  });
  await expect(caller([failing]).call("break", {}, { requestId: "req_7" })).rejects.toMatchObject({
    code: "UPSTREAM_ERROR",
    details: { retryCount: 3, upstreamStatus: 503 },
  });
  expect(seen).toBe("req_7");
});

it("returns data and the state of the limit if there are any", async () => {
  const limit = { allowed: true, limit: 5, remaining: 4, resetAt: 1, retryAfter: 0 };
  const data = { rows: [1] };
  const { call } = caller(
    [tool("rows", { run: () => ({ output: "1", data }) })],
    {},
    { verdictOf: () => limit },
  );
  expect(await call("rows")).toMatchObject({ data, limit });
});

it("throws the tool's failure", async () => {
  const { call } = caller([tool("echo")]);
  await expect(call("none")).rejects.toMatchObject({
    code: "TOOL_UNKNOWN",
    publicMessage: 'There is no tool "none". Available tools: echo.',
  });
  await expect(call("echo", { value: "many" })).rejects.toMatchObject({ code: "TOOL_INVALID_ARGUMENTS" });
});

it("gives the tool its own context, which belongs to no run", async () => {
  let seen: ToolContext | undefined;
  const steps: string[] = [];
  const look = tool("look", {
    run: (_, context) => {
      seen = context;
      context.show({ type: "reasoning_status", content: "", source: "" });
      context.progress({ message: "half" });
      return "";
    },
  });
  const { call } = caller([look]);
  await call("look", {}, { progress: ({ message }) => steps.push(message) });
  expect(seen).toMatchObject({ principal: ada, sessionId: undefined, runId: undefined });
  expect(seen?.toolCallId).toMatch(/^call_/);
  expect(seen?.idempotencyKey).toBe(seen?.toolCallId);
  expect(steps).toEqual(["half"]);
  const first = seen;
  await call("look");
  expect(seen?.toolCallId).not.toBe(first?.toolCallId);
});

it("needs no approval of the caller, but obeys the operator's policy", async () => {
  const writes = tool("writes", { effect: "write" });
  expect(await caller([writes], { default: { write: "ask" } }).call("writes")).toMatchObject({
    success: true,
  });
  await expect(caller([writes], { default: { write: "deny" } }).call("writes")).rejects.toMatchObject({
    code: "TOOL_DENIED",
  });
});

it("charges the caller and the API key for the cost of the call", async () => {
  const paid = tool("paid", { aliases: ["costly"], run: () => ({ output: "", costUsd: 0.25 }) });
  const { call, recorded, spending } = caller([paid]);
  await call("costly", {}, undefined, { ...ada, key: { id: "key_1" } });
  expect(recorded).toEqual([
    {
      id: expect.stringMatching(/^call_/),
      userId: "ada",
      keyId: "key_1",
      tool: "paid",
      model: "side/model",
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0.25 },
    },
  ]);
  Object.assign(spending.usage, { inputTokens: 3, outputTokens: 4, costUsd: 0.5 });
  await call("paid");
  expect(recorded[1]).toMatchObject({ usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.75 } });
  expect(recorded[1]).not.toHaveProperty("keyId");
});

it("charges for a call that failed after it had asked a model", async () => {
  const fails = tool("fails", {
    run: (_, { spending }) => {
      if (spending) spending.usage.outputTokens = 9;
      throw new Error("broken");
    },
  });
  const { call, recorded } = caller([fails]);
  await expect(call("fails")).rejects.toMatchObject({ code: "TOOL_FAILED" });
  expect(recorded).toMatchObject([{ tool: "fails", usage: { outputTokens: 9 } }]);
});

it("uses the traced layers if traces are collected", async () => {
  const traced: unknown[] = [];
  const traceGuard: DirectCallParts["traceGuard"] = (guard, { requestId }) => {
    traced.push(requestId);
    return guard;
  };
  await caller([tool("echo")], {}, { traceGuard }).call("echo", {}, { requestId: "req_1" });
  expect(traced).toEqual(["req_1"]);
});

it("a context without a reader shows nothing and never fails", () => {
  const contextFor = (principal: Principal) => ({ principal, roots: [], now: () => new Date() });
  const contexts: CallContexts = { sandbox, contextFor };
  const context = directContext(contexts, ada, "call_1", running);
  expect(context.progress({ message: "x" })).toBeUndefined();
  expect(context.show({ type: "reasoning_status", content: "", source: "" })).toBeUndefined();
  expect(context.signal).toBe(running);
});

const writes = tool("writes", { effect: "write", preview: ({ value }) => `write ${value}` });
const asks = { default: { write: "ask", none: "allow" } };

it("asks the person behind another program's model, with a preview", async () => {
  const asked: string[] = [];
  const answer = (yes: boolean) => ({
    asModel: {
      pastResults: new PastResults(),
      ask: async (question: string) => {
        asked.push(question);
        return yes;
      },
    },
  });
  const { call } = caller([writes, tool("echo"), tool("blunt", { effect: "write" })], asks);
  expect(await call("writes", { value: 7 }, answer(true))).toMatchObject({ success: true });
  expect(asked[0]).toMatch(/^Allow writes\? .+\nwrite 7$/);
  await expect(call("blunt", { value: 8 }, answer(false))).rejects.toMatchObject({
    code: "TOOL_DENIED",
    publicMessage: "The person did not allow this call.",
  });
  expect(asked[1]).toMatch(/^Allow blunt\? .+\n\{"value":8\}$/);
  await call("echo", {}, answer(false));
  expect(asked).toHaveLength(2);
});

it("refuses a call of another program's model if no person can be asked, or the operator forbids it", async () => {
  const alone = { asModel: { pastResults: new PastResults() } };
  await expect(caller([writes], asks).call("writes", {}, alone)).rejects.toMatchObject({
    code: "TOOL_DENIED",
    publicMessage: expect.stringMatching(
      /^writes needs the approval of a person, and there is nobody to ask here\. .+ can allow it with a rule in its policy/,
    ),
  });
  await expect(
    caller([writes], { default: { write: "deny" } }).call("writes", {}, alone),
  ).rejects.toMatchObject({
    code: "TOOL_DENIED",
    publicMessage: expect.not.stringContaining("nobody to ask"),
  });
});

it("remembers what such a model has read, so that later calls need an approval", async () => {
  const tools = [
    tool("outside", { effect: "network", trust: "untrusted" }),
    tool("private", { effect: "read" }),
    tool("send", { effect: "network", retry: "unsafe" }),
  ];
  const allowAll = { default: { none: "allow", read: "allow", network: "allow", write: "allow" } };
  const { call } = caller(tools, allowAll);
  const asModel = { pastResults: new PastResults() };
  await call("outside", {}, { asModel });
  await call("private", {}, { asModel });
  expect(asModel.pastResults.results().map(({ toolName }) => toolName)).toEqual(["outside", "private"]);
  await expect(call("send", {}, { asModel })).rejects.toMatchObject({ code: "TOOL_DENIED" });
  expect(await call("send", {}, { asModel: { pastResults: new PastResults() } })).toMatchObject({
    success: true,
  });
});

it("returns what was not quite as asked, and nothing else that the tool shows", async () => {
  const warns = tool("warns", {
    run: (_, { show }) => {
      show({ type: "reasoning_status", content: "", source: "" });
      show({ type: "warning", code: "OTHER_PROVIDER", message: "Another one answered." });
      return "";
    },
  });
  expect(await caller([warns]).call("warns")).toMatchObject({
    warnings: [{ code: "OTHER_PROVIDER", message: "Another one answered." }],
  });
  expect(await caller([tool("echo")]).call("echo")).not.toHaveProperty("warnings");
});

it("runs a tool that is not in the registry, in the place of a run, where it is handed one that decides", async () => {
  const received = { structuredContent: { a: 1 } };
  const approved: string[] = [];
  let seen: Partial<ToolContext> = {};
  const hidden = tool("hidden", {
    effect: "write",
    run: (_, context) => {
      seen = context;
      return { output: "1", received };
    },
  });
  const place = { sessionId: "ses_1", runId: "run_1" };
  const { call } = caller([], { default: { write: "deny" } });
  const approve = async (_: unknown, { tool: { name } }: { tool: Tool }) => void approved.push(name);
  const answer = await call("hidden", {}, { tool: hidden, place, approve });
  expect(answer).toMatchObject({ toolName: "hidden", received });
  expect(approved).toEqual(["hidden"]);
  expect(seen).toMatchObject({ ...place, isDirect: false });
  await caller([{ ...hidden, effectOf: () => "none" }]).call("hidden");
  expect(seen).toMatchObject({ sessionId: undefined, runId: undefined, isDirect: true });
  const listed = await caller([{ ...hidden, effectOf: () => "none" }]).call("hidden");
  expect(listed).not.toHaveProperty("received");
});

it("gives another program's model images and parts, and a person only what the API describes", async () => {
  const content = [
    { type: "text" as const, text: "1" },
    { type: "image" as const, mimeType: "image/png", data: "AAAA" },
  ];
  const images = [{ mimeType: "image/png", base64: "AAAA" }];
  const draw = tool("draw", { run: () => ({ content }) });
  const started: string[] = [];
  const asModel = { pastResults: new PastResults(), callId: "call_7", started: () => started.push("run") };
  expect(await caller([draw]).call("draw", {}, { asModel })).toMatchObject({ images, content });
  expect(started).toEqual(["run"]);
  expect(asModel.pastResults.results()).toMatchObject([{ toolCallId: "call_7" }]);
  const own = await caller([draw]).call("draw");
  expect(own).not.toHaveProperty("images");
  expect(own).not.toHaveProperty("content");
});
