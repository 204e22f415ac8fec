import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createGuard } from "../guard/pipeline.ts";
import { policyFile } from "../guard/policy.ts";
import { Failure } from "../protocol/failure.ts";
import type { ModelEvent } from "../protocol/model.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";
import { runTurn } from "./run.ts";
import {
  calls,
  memoryLog,
  ofType,
  says,
  scriptedModel,
  type TurnOptions,
  tool,
  turnOver,
} from "./testing/scripted.ts";

const call = (name: string, args = "{}") => ({ name, arguments: args });

/** Runs one step with these calls, then an answer in text. */
async function run(wanted: ReturnType<typeof call>[], options: TurnOptions) {
  const { model, requests } = scriptedModel([calls(...wanted), says("Done.")]);
  const { turn, events, changes } = turnOver(model, options);
  const outcome = await runTurn(turn);
  const results = ofType(events, "tool_result");
  const kept = outcome.parts.filter((part) => part.type === "tool_result");
  return { outcome, events, changes, results, kept, requests };
}

describe("a call", () => {
  it("is announced where it appears in the text, with its arguments", async () => {
    const script: ModelEvent[] = [
      { type: "text_delta", text: "Look: " },
      {
        type: "finish",
        reason: "tool_calls",
        parts: [
          { type: "text", text: "Look: " },
          { type: "tool_call", id: "a", name: "echo", arguments: '{"value":1,}' },
          { type: "tool_call", id: "b", name: "echo", arguments: "{broken" },
        ],
      },
    ];
    const { model } = scriptedModel([script, says("Done.")]);
    const { turn, events, changes } = turnOver(model, { tools: [tool("echo")] });
    await runTurn(turn);
    expect(ofType(events, "tool_call_start")).toEqual([
      { type: "tool_call_start", toolCallId: "a", toolName: "echo", arguments: { value: 1 }, textOffset: 6 },
      { type: "tool_call_start", toolCallId: "b", toolName: "echo", arguments: "{broken", textOffset: 6 },
    ]);
    expect(changes.map(({ key, state }) => `${key} ${state}`).sort()).toEqual([
      "model:0 finished",
      "model:0 started",
      "model:1 finished",
      "model:1 started",
      "tool:a finished",
      "tool:a started",
      "tool:b finished",
      "tool:b started",
    ]);
    const executing = events.findIndex(({ type }) => type === "tool_executing");
    expect(changes.find(({ key, state }) => key === "tool:a" && state === "started")?.at).toBe(executing + 1);
  });

  it("runs by an alias, and is told who, where and which one it is", async () => {
    let seen: ToolContext | undefined;
    const look = tool("look", {
      aliases: ["watch"],
      run: (_, context) => {
        seen = context;
        return "seen";
      },
    });
    const { results } = await run([call("watch")], { tools: [look] });
    expect(results).toMatchObject([{ toolName: "watch", success: true, output: "seen" }]);
    expect(seen).toMatchObject({
      toolCallId: "call_1",
      requestId: "req_1",
      idempotencyKey: "run_1:call_1",
      sessionId: "ses_1",
    });
  });

  it("takes parameters in snake_case, and refuses one that comes twice", async () => {
    const find = tool("find", {
      input: z.object({ maxResults: z.number() }),
      run: ({ maxResults }) => `${maxResults} found`,
    });
    const { kept } = await run(
      [call("find", '{"max_results":2}'), call("find", '{"max_results":2,"maxResults":3}')],
      { tools: [find] },
    );
    expect(kept).toMatchObject([
      { success: true, output: "2 found" },
      { success: false, error: { code: "TOOL_INVALID_ARGUMENTS", status: 400 } },
    ]);
  });

  it("shows progress and its own events under its id", async () => {
    const draw = tool("draw", {
      run: (_, { progress, show }) => {
        progress({ message: "half", percent: 50 });
        show({ type: "reasoning_status", content: "Drawing", source: "draw" });
        show({ type: "artifact_delta", toolCallId: "", artifactId: "a", delta: "<p>" });
        return "drawn";
      },
    });
    const { events } = await run([call("draw")], { tools: [draw] });
    expect(ofType(events, "tool_progress")).toEqual([
      { type: "tool_progress", toolCallId: "call_1", message: "half", percent: 50 },
    ]);
    expect(ofType(events, "reasoning_status")).toEqual([
      { type: "reasoning_status", content: "Drawing", source: "draw" },
    ]);
    expect(ofType(events, "artifact_delta")).toEqual([
      { type: "artifact_delta", toolCallId: "call_1", artifactId: "a", delta: "<p>" },
    ]);
  });

  it("gives its result before what it made, even if it failed afterwards", async () => {
    const image = { mimeType: "image/png", storageSucceeded: true, degradedMode: false };
    const search = { query: "x", provider: "p", sources: [], searchTimeMs: 1 };
    const make = (fails: boolean) =>
      tool(fails ? "break" : "draw", {
        run: (_, { show }) => {
          show({ type: "web_search", toolCallId: "", data: search });
          show({ type: "artifact_delta", toolCallId: "", artifactId: "a", delta: "<p>" });
          show({ type: "image_complete", toolCallId: "", ...image });
          if (fails) throw new Failure("TOOL_FAILED", "Too late.");
          return "done";
        },
      });
    for (const fails of [false, true]) {
      const made = make(fails);
      const { events } = await run([call(made.name)], { tools: [made] });
      const shown = events.filter((event) => "toolCallId" in event);
      expect(shown.map(({ type }) => type)).toEqual([
        "tool_call_start",
        "tool_executing",
        "artifact_delta",
        "tool_result",
        "web_search",
        "image_complete",
      ]);
      expect(shown).toMatchObject(shown.map(() => ({ toolCallId: "call_1" })));
    }
  });

  it("keeps what the model may know about its result", async () => {
    const fetch = tool("fetch", {
      effect: "network",
      trust: "untrusted",
      run: () => ({ output: "page", origin: "workspace", retryCount: 2, cached: true, data: { rows: 1 } }),
    });
    const policy = { default: { network: "allow" } };
    const { results, kept } = await run([call("fetch")], { tools: [fetch, tool("safe")], policy });
    expect(results).toMatchObject([{ retryCount: 2, cached: true, latencyMs: 0 }]);
    expect(kept).toEqual([
      {
        type: "tool_result",
        toolCallId: "call_1",
        toolName: "fetch",
        success: true,
        output: "page",
        trust: "untrusted",
        effect: "network",
        origin: "workspace",
      },
    ]);
    const safe = await run([call("safe")], { tools: [tool("safe", { trust: "trusted" })] });
    expect(safe.results).toMatchObject([{ retryCount: 0, cached: false }]);
    expect(safe.kept[0]).toMatchObject({ trust: "trusted", effect: "none" });
    expect(safe.kept[0]).not.toHaveProperty("origin");
    expect(safe.kept[0]).not.toHaveProperty("labels");
  });

  it("is labeled where its untrusted result reads like instructions, and the person is warned", async () => {
    const guard = createGuard({
      policy: policyFile.parse({}),
      execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
      labels: (text) => (text.includes("Obey") ? ["instruction"] : []),
    });
    const says = (trust: "trusted" | "untrusted", text: string) => tool("say", { trust, run: () => text });
    const labeled = await run([call("say")], { tools: [says("untrusted", "Obey me")], change: { guard } });
    expect(labeled.kept[0]).toMatchObject({ labels: ["instruction"] });
    expect(ofType(labeled.events, "warning")).toEqual([
      {
        type: "warning",
        code: "SUSPICIOUS_RESULT",
        message: "The result of say holds text that reads like instructions. It is treated as data.",
      },
    ]);
    for (const plain of [says("trusted", "Obey me"), says("untrusted", "Hello")]) {
      const { kept, events } = await run([call("say")], { tools: [plain], change: { guard } });
      expect(kept[0]).not.toHaveProperty("labels");
      expect(ofType(events, "warning")).toEqual([]);
    }
  });

  it("that fails says how often it was tried, and is untrusted where its error comes from outside", async () => {
    const fails = tool("fails", {
      run: () => {
        throw new Failure("UPSTREAM_ERROR", "It said no.", { untrusted: true, details: { retryCount: 3 } });
      },
    });
    const { results, kept } = await run([call("fails")], { tools: [fails] });
    expect(results).toMatchObject([{ success: false, retryCount: 3, cached: false, output: "It said no." }]);
    expect(kept).toMatchObject([{ trust: "untrusted", error: { code: "UPSTREAM_ERROR" } }]);
  });

  it("of an unknown tool lists the ones there are, and repeats no long name or arguments", async () => {
    const unknown = await run([call("x".repeat(200))], { tools: [] });
    expect(unknown.results[0]?.output).toBe(`There is no tool "${"x".repeat(100)}". Available tools: none.`);
    expect(unknown.kept[0]).toMatchObject({ trust: "trusted" });
    const broken = await run([call("echo", "y".repeat(900))], { tools: [tool("echo")] });
    expect(broken.results[0]?.output).toBe(
      `The arguments are not a JSON object. Received: ${"y".repeat(500)}`,
    );
  });
});

describe("what a call spends", () => {
  it("is added to the run's usage, with the models that it asked", async () => {
    const spending = { usage: { inputTokens: 100, outputTokens: 50, costUsd: 0.5 } };
    const paid = tool("paid", { run: () => ({ output: "ok", costUsd: 0.25 }) });
    const { model } = scriptedModel([calls(call("paid")), says("Done.")]);
    const { turn, events } = turnOver(model, { tools: [paid] });
    const contextFor: typeof turn.contextFor = (one) => ({ ...turn.contextFor(one), spending });
    await runTurn({ ...turn, contextFor });
    expect(
      ofType(events, "usage").map(({ inputTokens, outputTokens, costUsd }) => [
        inputTokens,
        outputTokens,
        costUsd,
      ]),
    ).toEqual([
      [10, 5, undefined],
      [110, 55, 0.75],
      [120, 60, 0.75],
    ]);
  });

  it("is not mentioned where it is nothing", async () => {
    const { events } = await run([call("echo")], { tools: [tool("echo")] });
    expect(ofType(events, "usage")).toHaveLength(2);
  });

  it("counts tokens without a price, even if the answer is longer than the question", async () => {
    const spending = { usage: { inputTokens: 10, outputTokens: 50 } };
    const { model } = scriptedModel([calls(call("free")), says("Done.")]);
    const { turn, events } = turnOver(model, { tools: [tool("free")] });
    const contextFor: typeof turn.contextFor = (one) => ({ ...turn.contextFor(one), spending });
    await runTurn({ ...turn, contextFor });
    expect(ofType(events, "usage").at(-1)).toMatchObject({ inputTokens: 30, outputTokens: 60 });
  });

  it("counts a price without tokens", async () => {
    const paid = tool("paid", { run: () => ({ output: "ok", costUsd: 0.25 }) });
    const { events } = await run([call("paid"), call("paid")], { tools: [paid] });
    expect(ofType(events, "usage").at(-1)).toMatchObject({ costUsd: 0.5 });
  });
});

describe("calls side by side", () => {
  /** Runs these calls and tells which ran at the same time. */
  async function groups(names: string[], limits: TurnOptions["limits"] = {}) {
    const running = new Set<string>();
    const most: Record<string, number> = {};
    let peak = 0;
    const busy = (name: string, parallel: boolean): Tool =>
      tool(name, {
        parallel,
        run: async () => {
          running.add(name);
          peak = Math.max(peak, running.size);
          await new Promise(setImmediate);
          await new Promise(setImmediate);
          most[name] = Math.max(most[name] ?? 0, running.size);
          running.delete(name);
          return name;
        },
      });
    const tools = [busy("a", true), busy("b", true), busy("alone", false), busy("c", true), busy("d", true)];
    const { results, kept } = await run(
      names.map((name) => call(name)),
      {
        tools,
        limits: { maxToolCalls: 10, ...limits },
      },
    );
    expect(kept.map(({ toolName }) => toolName)).toEqual(names);
    return { most, peak, order: results.map(({ toolName }) => toolName) };
  }

  it("wait for one that must run alone", async () => {
    const { most, order } = await groups(["a", "b", "alone", "c", "d"]);
    expect(most.alone).toBe(1);
    expect(most.a).toBe(2);
    expect(most.c).toBeGreaterThanOrEqual(1);
    expect(order.indexOf("alone")).toBe(2);
  });

  it("are no more than the limit", async () => {
    expect((await groups(["a", "b", "c", "d"])).peak).toBe(4);
    expect((await groups(["a", "b", "c", "d"], { parallelTools: 2 })).peak).toBe(2);
  });
});

describe("an approval", () => {
  const writes = tool("writes", { effect: "write" });
  const alone = tool("writes", { effect: "write", parallel: false });

  it("is asked for together with those of the same step, and the calls still run one after the other", async () => {
    const statuses: string[] = [];
    const log = memoryLog();
    log.log.status = (status) => void statuses.push(status);
    const first = Promise.withResolvers<void>();
    const { events } = await run([call("writes", '{"value":1}'), call("writes", '{"value":2}')], {
      tools: [alone],
      log,
      // The second is decided first.
      decide: async (id) => {
        if (id === "call_1") await first.promise;
        else setTimeout(first.resolve);
        return { decision: "once" };
      },
    });
    const order = events.flatMap((event) =>
      "toolCallId" in event ? [`${event.type} ${event.toolCallId}`] : [],
    );
    expect(order.slice(2)).toEqual([
      "tool_approval_required call_1",
      "tool_approval_required call_2",
      "tool_approval_decided call_2",
      "tool_approval_decided call_1",
      "tool_executing call_1",
      "tool_result call_1",
      "tool_executing call_2",
      "tool_result call_2",
    ]);
    expect(statuses).toEqual(["waiting", "waiting", "running"]);
  });

  it("of “always” also lets the other calls run that it covers", async () => {
    const remembered: string[] = [];
    const { results } = await run([call("writes"), call("writes", '{"value":2}')], {
      tools: [alone],
      change: {
        remember: async (what) => void remembered.push(what),
        awaitDecision: async (asked, _deadline, signal) => {
          if (asked.toolCallId === "call_1") return { runId: "run_1", ...asked, decision: "always" };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return undefined;
        },
      },
    });
    expect(results).toMatchObject([{ success: true }, { success: true }]);
    expect(remembered).toEqual(["writes"]);
  });

  it("states the reason, the deadline and what “always” would cover, and marks the run as waiting", async () => {
    const statuses: string[] = [];
    const log = memoryLog();
    log.log.status = (status) => void statuses.push(status);
    const { events } = await run([call("writes", '{"value":1}')], {
      tools: [writes],
      log,
      decide: async () => ({ decision: "once" }),
      limits: { approvalMs: 1_000 },
    });
    const [asked] = ofType(events, "tool_approval_required");
    expect(asked).toMatchObject({
      toolCallId: "call_1",
      toolName: "writes",
      arguments: { value: 1 },
      expiresAt: "2026-01-01T00:00:01.000Z",
      risk: "medium",
    });
    expect(asked?.reason).not.toBe("");
    expect(asked?.always).toBeDefined();
    expect(asked).not.toHaveProperty("preview");
    expect(statuses).toEqual(["waiting", "running"]);
  });

  it.each([
    ["always", 1],
    ["once", 0],
  ] as const)("of “%s” is remembered %i times", async (decision, times) => {
    const remembered: string[] = [];
    const { results } = await run([call("writes")], {
      tools: [writes],
      decide: async () => ({ decision }),
      change: { remember: async (what) => void remembered.push(what) },
    });
    expect(results).toMatchObject([{ success: true }]);
    expect(remembered).toHaveLength(times);
  });

  it.each([
    [undefined, "Nobody decided on this call in time, so it was not run."],
    [{ decision: "deny" as const }, "The person did not allow this call."],
    [{ decision: "deny" as const, note: "no" }, "The person did not allow this call, and said: no"],
  ])("of %j is a no: %s", async (decision, output) => {
    const { results, kept } = await run([call("writes")], { tools: [writes], decide: async () => decision });
    expect(results).toMatchObject([{ success: false, output, error: { code: "TOOL_DENIED" } }]);
    expect(kept).toMatchObject([{ trust: "trusted" }]);
  });

  it("is given up when the run is stopped", async () => {
    const abort = new AbortController();
    const { results, outcome } = await run([call("writes")], {
      tools: [writes],
      signal: abort.signal,
      decide: async () => {
        abort.abort();
        return { decision: "once" };
      },
    });
    expect(results).toMatchObject([
      { output: "It was stopped before it ran.", error: { code: "CANCELLED" } },
    ]);
    expect(outcome.status).toBe("cancelled");
  });

  it("does not count towards the time that the call takes", async () => {
    let clock = Date.parse("2026-01-01T00:00:00Z");
    const slow = tool("writes", {
      effect: "write",
      run: () => {
        clock += 30;
        return "ok";
      },
    });
    const { results } = await run([call("writes")], {
      tools: [slow],
      decide: async () => {
        clock += 5_000;
        return { decision: "once" };
      },
      change: { now: () => clock },
    });
    expect(results).toMatchObject([{ latencyMs: 30 }]);
  });

  it("is not asked for what the policy denies, whose reason the model reads", async () => {
    const { results, events } = await run([call("writes")], {
      tools: [writes],
      policy: { default: { write: "deny" } },
    });
    expect(ofType(events, "tool_approval_required")).toEqual([]);
    expect(results[0]?.output.length).toBeGreaterThan(10);
  });
});

it("calls beyond the limit are told so in a sentence", async () => {
  const { kept, results } = await run([call("echo"), call("echo")], {
    tools: [tool("echo")],
    limits: { maxToolCalls: 1 },
  });
  expect(kept[1]?.output).toBe(
    "This request may make 1 tool calls and has made them. Answer with what is known so far.",
  );
  const refused = results.find(({ success }) => !success);
  expect(refused).toMatchObject({ latencyMs: 0, retryCount: 0, cached: false });
});

describe("after a crash", () => {
  const asked = {
    key: "model:0",
    idempotencyKey: "run_1:model:0",
    startedSeq: 1,
    state: "finished",
  } as const;
  const part = { type: "tool_call", id: "call_1", name: "job", arguments: "{}" };
  const started = { key: "tool:call_1", idempotencyKey: "k", startedSeq: 3, state: "started" } as const;
  const kept = {
    type: "tool_result",
    toolCallId: "call_1",
    toolName: "job",
    success: true,
    output: "kept",
    trust: "trusted",
  };

  it("a call that had started is not announced again", async () => {
    const steps = [{ ...asked, result: { reason: "tool_calls", parts: [part] } }, started];
    const { model } = scriptedModel([says("Done.")]);
    const { turn, events, changes } = turnOver(model, { tools: [tool("job")], log: memoryLog([], steps) });
    await runTurn(turn);
    expect(ofType(events, "tool_executing")).toEqual([]);
    expect(changes.filter(({ key }) => key === "tool:call_1").map(({ state }) => state)).toEqual([
      "finished",
    ]);
  });

  it("a call that may have had an effect is not repeated, and the model is told to check", async () => {
    const steps = [{ ...asked, result: { reason: "tool_calls", parts: [part] } }, started];
    const { model } = scriptedModel([says("Done.")]);
    const job = tool("job", { retry: "unsafe" });
    const { turn, events } = turnOver(model, { tools: [job], log: memoryLog([], steps) });
    await runTurn(turn);
    expect(ofType(events, "tool_result")[0]?.output).toBe(
      'The server stopped while "job" was running, so it is not known whether it took effect. It was not repeated: check before trying again.',
    );
  });

  it("a refused call keeps the result that it already had", async () => {
    const steps = [
      { ...asked, result: { reason: "length", parts: [part] } },
      { ...started, state: "finished" as const, result: kept },
    ];
    const { turn, events } = turnOver(scriptedModel([]).model, { log: memoryLog([], steps) });
    const outcome = await runTurn(turn);
    expect(outcome.parts.at(-1)).toMatchObject({ output: "kept" });
    expect(ofType(events, "tool_result")).toEqual([]);
  });
});

describe("the images of a result", () => {
  const draws = (count: number) =>
    tool("draws", {
      run: () => ({
        output: "Drawn.",
        images: Array.from({ length: count }, () => ({ mimeType: "image/png", base64: "AAAA" })),
      }),
    });

  it("are stored and shown, up to eight, and the rest is said to be missing", async () => {
    const { kept, events } = await run([call("draws")], { tools: [draws(9)] });
    expect(kept[0]?.images).toHaveLength(8);
    expect(ofType(events, "image_complete")).toHaveLength(8);
    expect(kept[0]?.output).toBe("Drawn.\n[An image could not be shown.]");
    const whole = await run([call("draws")], { tools: [draws(8)] });
    expect(whole.kept[0]?.output).toBe("Drawn.");
  });

  it("that cannot be stored are said to be missing", async () => {
    const text = { type: "text" as const, text: "[an image]" };
    const given: unknown[] = [];
    const change = {
      keepImage: async (image: object) => {
        given.push(image);
        return { kept: text };
      },
    };
    const { kept, events } = await run([call("draws")], { tools: [draws(2)], change });
    const image = { type: "image", mimeType: "image/png", data: "AAAA" };
    expect(given).toEqual([image, image]);
    expect(kept[0]).not.toHaveProperty("images");
    expect(kept[0]?.output).toBe("Drawn.\n[2 images could not be shown.]");
    expect(ofType(events, "image_complete")).toEqual([]);
  });
});
