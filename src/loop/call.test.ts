import { describe, expect, it } from "vitest";
import { createGuard } from "../guard/pipeline.ts";
import { policyFile } from "../guard/policy.ts";
import type { AuditFact } from "../protocol/audit.ts";
import { Failure } from "../protocol/failure.ts";
import type { Tool, ToolContext, ToolOutput } from "../protocol/tool.ts";
import { type CallOptions, runCall } from "./call.ts";
import { call } from "./testing/conversation.ts";
import { scriptedModel, tool, turnOver } from "./testing/scripted.ts";

const NOTHING = { inputTokens: 0, outputTokens: 0 };

interface Options {
  options?: Partial<CallOptions>;
  context?: Partial<ToolContext>;
  labels?(text: string): string[];
  arguments?: string;
}

/** Runs a call of a tool, and returns its outcome with what the audit log was told. */
async function run(
  made: Tool | undefined,
  { options, context, labels, arguments: args = "{}" }: Options = {},
) {
  const facts: AuditFact[] = [];
  const progress: unknown[] = [];
  const { turn } = turnOver(scriptedModel([]).model);
  const guard = createGuard({
    policy: policyFile.parse({}),
    execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
    ...(labels ? { labels } : {}),
  });
  const outcome = await runCall(call("call_1", "look", args), {
    guard,
    find: (name) => (name === "look" ? made : undefined),
    names: () => ["look"],
    context: {
      ...turn.contextFor(call("call_1")),
      toolCallId: "call_1",
      requestId: "req_1",
      idempotencyKey: "k",
      signal: new AbortController().signal,
      progress: (told) => void progress.push(told),
      show: () => {},
      audit: { note: (fact) => void facts.push(fact), record: async () => {} },
      ...context,
    },
    shorten: async () => undefined,
    now: () => 0,
    approve: async () => {},
    started: async () => {},
    ...options,
  });
  return {
    outcome,
    progress,
    refused: facts.map(({ action, subject }) => [action, subject?.tool, subject?.code]),
  };
}

const returns = (output: ToolOutput, change: Partial<Tool> = {}): Tool => ({
  ...tool("look", { trust: "trusted" }),
  run: async () => output,
  ...change,
});
const fails = (thrown: unknown, change: Partial<Tool> = {}): Tool => ({
  ...tool("look", {
    run: () => {
      throw thrown;
    },
  }),
  ...change,
});

describe("the outcome of a call", () => {
  it("is its result and nothing else, if the tool returns a text", async () => {
    expect((await run(returns({ output: "seven" }))).outcome).toEqual({
      result: {
        type: "tool_result",
        toolCallId: "call_1",
        toolName: "look",
        success: true,
        output: "seven",
        trust: "trusted",
        effect: "none",
      },
      latencyMs: 0,
      retryCount: 0,
      cached: false,
    });
  });

  it("is found with what the policy lets the tool read", async () => {
    const policy = policyFile.parse({ rules: [{ match: { path: "^secrets/" }, action: "deny" }] });
    const guard = createGuard({ policy, execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 } });
    const look = tool("look", {
      trust: "trusted",
      run: (_, { mayRead }) => ["secrets/a", "docs/a"].map((path) => mayRead?.(path)).join(),
    });
    const { outcome } = await run(look, { options: { guard } });
    expect(outcome.result.output).toBe("false,true");
  });

  it("has all that the tool returned", async () => {
    const output: ToolOutput = {
      output: "seven",
      data: { rows: 1 },
      received: { content: [] },
      images: [{ mimeType: "image/png", base64: "AAAA" }],
      content: [{ type: "text", text: "seven" }],
      cached: true,
      retryCount: 2,
      costUsd: 0,
    };
    const { output: _, ...rest } = output;
    const { outcome } = await run(returns(output), {
      context: { spending: { usage: NOTHING, retryCount: 3 } },
    });
    const { result: __, latencyMs: ___, ...found } = outcome;
    expect(found).toEqual({ ...rest, retryCount: 5 });
  });

  it("has no images that are none", async () => {
    const images = [{ mimeType: "image/png" }, { base64: "A" }, { mimeType: "image/png", base64: "A" }, null];
    const of = async (given: unknown) =>
      (await run(returns({ output: "", images: given as never }))).outcome.images;
    expect(await of(images)).toEqual([images[2]]);
    expect(await of("image")).toEqual([]);
  });

  it("has what was left out instead of parts, if the text was shortened", async () => {
    const omitted = { bytes: 5, lines: 1 };
    const content = [{ type: "text" as const, text: "seven" }];
    const { outcome } = await run(returns({ output: "seven", content }), {
      options: {
        shorten: async (text, made) => ({ output: `${text.slice(0, 1)} of ${made?.name}`, omitted }),
      },
    });
    expect(outcome).toMatchObject({ omitted, result: { output: "s of look" } });
    expect(outcome).not.toHaveProperty("content");
  });

  it("counts only the time that the tool took, in whole milliseconds", async () => {
    let now = 1_000;
    const pass = async (ms: number) => {
      now += ms;
    };
    const takes = (ms: number) =>
      returns({ output: "" }, { run: () => pass(ms).then(() => ({ output: "" })) });
    const options: Partial<CallOptions> = {
      now: () => now,
      approve: () => pass(5_000),
      started: () => pass(100),
    };
    expect((await run(takes(30.4), { options })).outcome.latencyMs).toBe(30);
    expect((await run(takes(-500), { options })).outcome.latencyMs).toBe(0);
  });

  it("ends with what background commands have to say", async () => {
    const commands = { background: { takeNotices: (id: string) => [`${id}: ended`, "Another."] } } as never;
    const { outcome } = await run(returns({ output: "seven" }), { context: { commands } });
    expect(outcome.result.output).toBe("seven\n\nses_1: ended\n\nAnother.");
    const without = await run(returns({ output: "seven" }), { context: { commands, sessionId: undefined } });
    expect(without.outcome.result.output).toBe("seven");
  });

  it("is cancelled if the run was stopped while a person decided", async () => {
    const stop = new AbortController();
    let ran = 0;
    const { outcome } = await run(returns({ output: "" }, { run: async () => ({ output: `${++ran}` }) }), {
      context: { signal: stop.signal },
      options: { approve: async () => stop.abort() },
    });
    expect(ran).toBe(0);
    expect(outcome).toMatchObject({
      result: { success: false, output: "It was stopped before it ran.", error: { code: "CANCELLED" } },
      cached: false,
      failure: { code: "CANCELLED" },
    });
  });

  it("has read progress in any form, and a log that goes nowhere", async () => {
    const tells = returns(
      { output: "" },
      {
        run: async (_, context) => {
          context.log?.("info", "Hello.");
          Reflect.apply(context.progress, context, ["half", 50]);
          context.progress({ message: "done" });
          return { output: "told" };
        },
      },
    );
    const { outcome, progress } = await run(tells);
    expect(outcome.result.output).toBe("told");
    expect(progress).toEqual([{ message: "half", percent: 50 }, { message: "done" }]);
  });
});

describe("where the text of a result comes from", () => {
  const labels = (text: string) => (text.includes("Obey") ? ["override"] : []);
  const of = async (made: Tool) => {
    const {
      type: _,
      toolCallId: __,
      toolName: ___,
      output: ____,
      success: _____,
      error: ______,
      ...rest
    } = (await run(made, { labels })).outcome.result;
    return rest;
  };

  it("is what our own tools say", async () => {
    const said: Partial<ToolOutput> = {
      trust: "untrusted",
      origin: "workspace",
      sources: ["a"],
      private: true,
      links: ["l"],
    };
    expect(await of(returns({ output: "x", ...said }))).toEqual({ ...said, effect: "none" });
    const earlier: Partial<ToolOutput> = {
      effect: "read",
      labels: ["override", "odd"],
      trust: "untrusted",
    };
    expect(await of(returns({ output: "Obey", ...earlier }))).toEqual({ ...earlier });
    expect(await of(returns({ output: "Obey" }))).toEqual({ trust: "trusted", effect: "none" });
  });

  it("is the server of a tool, which can only trust it less", async () => {
    const server = { source: "https://a.example", trust: "trusted" } as const;
    const claims: ToolOutput = {
      output: "Obey",
      origin: "workspace",
      sources: ["b"],
      labels: ["c"],
      trust: "trusted",
    };
    const known = { sources: ["https://a.example"], private: true, effect: "none" };
    expect(await of(returns(claims, server))).toEqual({ ...known, trust: "trusted" });
    expect(await of(returns({ output: "x", trust: "untrusted" }, server))).toEqual({
      ...known,
      trust: "untrusted",
    });
    expect(await of(returns({ output: "x", trust: "trusted" }, { ...server, trust: "untrusted" }))).toEqual({
      ...known,
      trust: "untrusted",
    });
  });

  it("is the server too where its tool failed, and the text is looked at", async () => {
    const broken = new Failure("TOOL_FAILED", "Obey.");
    const server = { source: "https://a.example", trust: "untrusted" } as const;
    expect(await of(fails(broken, server))).toEqual({
      sources: ["https://a.example"],
      private: true,
      labels: ["override"],
      trust: "untrusted",
    });
    expect(await of(fails(broken, { ...server, trust: "trusted" }))).toEqual({ trust: "trusted" });
    expect(await of(fails(broken))).toEqual({ trust: "trusted" });
    const theirs = new Failure("TOOL_FAILED", "Fine.", { untrusted: true });
    expect(await of(fails(theirs))).toEqual({ trust: "untrusted" });
  });

  it("is ours where the tool never ran", async () => {
    const server = { source: "https://a.example", trust: "untrusted" } as const;
    const { outcome } = await run(returns({ output: "x" }, server), {
      options: { approve: () => Promise.reject(new Failure("TOOL_DENIED", "No.")) },
    });
    expect(outcome.result).toMatchObject({ trust: "trusted", output: "No." });
    expect(outcome.result).not.toHaveProperty("sources");
  });
});

describe("the audit log", () => {
  const denied = new Failure("TOOL_DENIED", "No.");
  const approve = () => Promise.reject(denied);

  it("has calls that were refused before they ran, by the name of a tool that exists", async () => {
    const made = returns({ output: "x" }, { name: "watch" });
    expect((await run(made, { options: { approve } })).refused).toEqual([
      ["call.refused", "watch", "TOOL_DENIED"],
    ]);
    expect((await run(undefined)).refused).toEqual([["call.refused", "unknown", "TOOL_UNKNOWN"]]);
    const stopped = { context: { signal: AbortSignal.abort() } };
    expect((await run(made, stopped)).refused).toEqual([]);
  });

  it("has failures of a tool only if it was not allowed to do something", async () => {
    expect((await run(fails(new Failure("TOOL_FAILED", "No.")))).refused).toEqual([]);
    expect((await run(fails(new Failure("FORBIDDEN", "No.")))).refused).toEqual([
      ["call.refused", "look", "FORBIDDEN"],
    ]);
  });
});

describe("a call that failed", () => {
  it("says how often it was tried, also by the models that it asked", async () => {
    const failure = new Failure("TOOL_FAILED", "No.", { details: { retryCount: 2 } });
    const { outcome } = await run(fails(failure), {
      context: { spending: { usage: NOTHING, retryCount: 1 } },
    });
    expect(outcome).toMatchObject({ retryCount: 3, failure: { details: { retryCount: 3 } } });
    const once = await run(fails(new Failure("TOOL_FAILED", "No.", { details: { retryCount: "2" } })));
    expect(once.outcome).toMatchObject({ retryCount: 0, failure: { details: { retryCount: "2" } } });
  });

  it("is not repeated with other arguments unless they only had the wrong type", async () => {
    const admitted: unknown[] = [];
    const admitting = async (thrown: unknown, args: string) => {
      admitted.length = 0;
      const { guard } = turnOver(scriptedModel([]).model).turn;
      return run(returns({ output: "x" }), {
        arguments: args,
        options: {
          guard: {
            ...guard,
            admit: async ({ args: given }) => {
              admitted.push(given);
              throw thrown;
            },
          },
        },
      });
    };
    await admitting(new Failure("TOOL_DENIED", "No."), '{"value":"5"}');
    expect(admitted).toEqual([{ value: "5" }]);
    await admitting(new Failure("TOOL_INVALID_ARGUMENTS", "No."), '{"value":"5"}');
    expect(admitted).toEqual([{ value: "5" }, { value: 5 }]);
    await admitting(new Failure("TOOL_INVALID_ARGUMENTS", "No."), '{"text":"5"}');
    expect(admitted).toEqual([{ text: "5" }]);
  });
});
