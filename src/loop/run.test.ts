import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import { stepsOf } from "../protocol/messages.ts";
import type { ModelEvent } from "../protocol/model.ts";
import { reduceAll } from "../protocol/reduce.ts";
import type { Tool } from "../protocol/tool.ts";
import { runTurn } from "./run.ts";
import { calls, memoryLog, ofType, says, scriptedModel, tool, turnOver } from "./testing/scripted.ts";

const failed = (failure: Failure): ModelEvent[] => [{ type: "failure", failure }];
const overloaded = new Failure("UPSTREAM_ERROR", "The model is overloaded.", { retryable: true });

describe("1: every call gets exactly one result, in call order", () => {
  it("runs the calls of a step in parallel and returns the results in call order", async () => {
    const order: string[] = [];
    const firstMayEnd = Promise.withResolvers<void>();
    const slow = tool("slow", {
      run: async () => {
        await firstMayEnd.promise;
        order.push("slow");
        return "slow result";
      },
    });
    const fast = tool("fast", {
      run: () => {
        order.push("fast");
        firstMayEnd.resolve();
        return "fast result";
      },
    });
    const script = calls({ name: "slow", arguments: "{}" }, { name: "fast", arguments: "{}" });
    const { model, requests } = scriptedModel([script, says("done")]);
    const { turn, events } = turnOver(model, { tools: [slow, fast] });
    const outcome = await runTurn(turn);
    expect(order).toEqual(["fast", "slow"]);
    expect(outcome.finishReason).toBe("stop");
    const [step] = stepsOf(requests[1]?.messages.at(-1) ?? { id: "", role: "assistant", parts: [] });
    expect(step?.results.map(({ toolCallId, output }) => [toolCallId, output])).toEqual([
      ["call_1", "slow result"],
      ["call_2", "fast result"],
    ]);
    expect(ofType(events, "tool_result")).toHaveLength(2);
  });

  it("runs a tool alone if it asks for that", async () => {
    let running = 0;
    let most = 0;
    const busy = {
      run: async () => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        return "ok";
      },
    };
    const script = calls(...[1, 2, 3].map(() => ({ name: "alone", arguments: "{}" })));
    const { model } = scriptedModel([script, says("done")]);
    await runTurn(turnOver(model, { tools: [tool("alone", { ...busy, parallel: false })] }).turn);
    expect(most).toBe(1);
  });

  it("gives unknown, denied and failing calls a result too", async () => {
    const tools = [
      tool("fails", {
        run: () => {
          throw new Error("the disk is on fire");
        },
      }),
      tool("writes", { effect: "write" }),
    ];
    const script = calls(
      { name: "nowhere", arguments: "{}" },
      { name: "fails", arguments: "{}" },
      { name: "writes", arguments: "{}" },
    );
    const { model, requests } = scriptedModel([script, says("done")]);
    const { turn, events } = turnOver(model, { tools, policy: { default: { write: "deny" } } });
    await runTurn(turn);
    const codes = ofType(events, "tool_result").map(({ error }) => error?.code);
    expect(codes.sort()).toEqual(["TOOL_DENIED", "TOOL_FAILED", "TOOL_UNKNOWN"]);
    const results = requests[1]?.messages.at(-1)?.parts.filter((part) => part.type === "tool_result");
    expect(results?.map(({ toolName }) => toolName)).toEqual(["nowhere", "fails", "writes"]);
    expect(results?.[0]?.output).toContain("fails, writes");
  });

  it("replaces call ids that a vendor reuses in a later answer", async () => {
    const script = calls({ id: "call_0", name: "echo", arguments: "{}" });
    const { model } = scriptedModel([script, script, says("done")]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    await runTurn(turn);
    expect(ofType(events, "tool_call_start").map(({ toolCallId }) => toolCallId)).toEqual([
      "call_0",
      "call_0_2",
    ]);
  });
});

describe("2: it continues while there are calls", () => {
  it("runs calls even if the vendor's finish reason is stop", async () => {
    const script: ModelEvent[] = [
      {
        type: "finish",
        reason: "stop",
        parts: [{ type: "tool_call", id: "a", name: "echo", arguments: "{}" }],
      },
    ];
    const { model, requests } = scriptedModel([script, says("done")]);
    const outcome = await runTurn(turnOver(model, { tools: [tool("echo")] }).turn);
    expect(requests).toHaveLength(2);
    expect(outcome.iterations).toBe(2);
  });

  it.each(["length", "content_filter"] as const)(
    "never runs a call of an answer that was cut off by %s",
    async (reason) => {
      let ran = false;
      const echo = tool("echo", {
        run: () => {
          ran = true;
          return "";
        },
      });
      const script: ModelEvent[] = [
        { type: "finish", reason, parts: [{ type: "tool_call", id: "a", name: "echo", arguments: "{}" }] },
      ];
      const { model } = scriptedModel([script]);
      const { turn, events } = turnOver(model, { tools: [echo] });
      const outcome = await runTurn(turn);
      expect(ran).toBe(false);
      expect(outcome.finishReason).toBe(reason);
      expect(ofType(events, "tool_result")).toMatchObject([
        { success: false, error: { code: "RESOURCE_EXHAUSTED" } },
      ]);
    },
  );
});

describe("3: arguments", () => {
  it.each([
    ["", {}],
    ['"{\\"value\\":1}"', { value: 1 }],
    ['```json\n{"value": 1}\n```', { value: 1 }],
    ['{"value": 1,}', { value: 1 }],
    ['{"text": "two\nlines"}', { text: "two\nlines" }],
    ['{"value": "5"}', { value: 5 }],
  ])("repairs %j if that cannot change its meaning", async (text, expected) => {
    const { model } = scriptedModel([calls({ name: "echo", arguments: text }), says("done")]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    await runTurn(turn);
    expect(JSON.parse(ofType(events, "tool_result")[0]?.output ?? "")).toEqual(expected);
  });

  it.each(['{"value": 1', "[1]", '{"value": 1}{"value": 2}', "value=1"])(
    "returns %j to the model as an error that quotes it",
    async (text) => {
      const { model } = scriptedModel([calls({ name: "echo", arguments: text }), says("done")]);
      const { turn, events } = turnOver(model, { tools: [tool("echo")] });
      await runTurn(turn);
      const [result] = ofType(events, "tool_result");
      expect(result).toMatchObject({
        success: false,
        error: { code: "TOOL_INVALID_ARGUMENTS", status: 400 },
      });
      expect(result?.output).toContain(text);
    },
  );

  it("returns wrong and unknown fields to the model by name", async () => {
    const { model } = scriptedModel([
      calls({ name: "echo", arguments: '{"value":"many","extra":1}' }),
      says("done"),
    ]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    await runTurn(turn);
    const output = ofType(events, "tool_result")[0]?.output;
    expect(output).toContain("value");
    expect(output).toContain("extra");
  });
});

describe("4: retries", () => {
  it("retries with a growing wait until something was shown", async () => {
    const { model, requests } = scriptedModel([failed(overloaded), failed(overloaded), says("here")]);
    const { turn, events, slept } = turnOver(model);
    const outcome = await runTurn(turn);
    expect(outcome.finishReason).toBe("stop");
    expect(requests).toHaveLength(3);
    expect(ofType(events, "retry_status").map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(slept[1]).toBeGreaterThan(slept[0] ?? 0);
  });

  it("waits as long as the vendor asks", async () => {
    const busy = new Failure("UPSTREAM_ERROR", "Slow down.", { retryable: true, retryAfter: 7 });
    const { model } = scriptedModel([failed(busy), says("here")]);
    const { turn, slept } = turnOver(model);
    await runTurn(turn);
    expect(slept[0]).toBeGreaterThanOrEqual(7_000);
  });

  it.each([
    ["text", { type: "text_delta", text: "Half an ans" }],
    ["reasoning", { type: "reasoning_delta", text: "Let me" }],
  ] as const)("never retries after %s was shown if answers are not to be continued", async (_, delta) => {
    const { model, requests } = scriptedModel([[delta, ...failed(overloaded)], says("never")]);
    const { turn, events } = turnOver(model, { limits: { maxContinuations: 0 } });
    const outcome = await runTurn(turn);
    expect(requests).toHaveLength(1);
    expect(outcome.finishReason).toBe("error");
    expect(ofType(events, "error")).toMatchObject([
      { code: "UPSTREAM_ERROR", retryable: true, requestId: "req_1" },
    ]);
  });

  it("reports an open breaker at once", async () => {
    const open = new Failure("BREAKER_OPEN", "Possible again in 12 seconds.", { retryAfter: 12 });
    const { model, requests } = scriptedModel([failed(open), says("never")]);
    const { turn, events, slept } = turnOver(model);
    await runTurn(turn);
    expect(requests).toHaveLength(1);
    expect(slept).toEqual([]);
    expect(ofType(events, "error")).toMatchObject([
      { code: "BREAKER_OPEN", retryable: true, retryAfter: 12 },
    ]);
  });

  it("retries after thinking that led to no answer", async () => {
    const empty = new Failure("UPSTREAM_ERROR", "It only thought.", {
      retryable: true,
      details: { emptyAnswer: true },
    });
    const { model, requests } = scriptedModel([
      [{ type: "reasoning_delta", text: "Hm." }, ...failed(empty)],
      says("here"),
    ]);
    const { turn, events } = turnOver(model);
    expect((await runTurn(turn)).finishReason).toBe("stop");
    expect(requests).toHaveLength(2);
    expect(reduceAll(events).text).toBe("here");
  });

  it("counts retries that failed in the total, and only the last one in how full the window is", async () => {
    const empty = new Failure("UPSTREAM_ERROR", "Empty.", {
      retryable: true,
      details: { emptyAnswer: true },
    });
    const usage: ModelEvent = { type: "usage", usage: { inputTokens: 100, outputTokens: 1 } };
    const { model, requests } = scriptedModel(Array.from({ length: 9 }, () => [usage, ...failed(empty)]));
    const { turn, events } = turnOver(model);
    await runTurn(turn);
    expect(requests.length).toBeGreaterThan(1);
    expect(ofType(events, "usage").at(-1)).toMatchObject({
      inputTokens: 100 * requests.length,
      contextTokens: 101,
    });
  });

  it("does not retry if that cannot help", async () => {
    const wrongKey = new Failure("UPSTREAM_ERROR", "The key is not valid.", { retryable: false });
    const { model, requests } = scriptedModel([failed(wrongKey), says("never")]);
    await runTurn(turnOver(model).turn);
    expect(requests).toHaveLength(1);
  });
});

it("5: sends a step's metadata back byte for byte", async () => {
  const metadata = { signature: "Eq+/=\u00e9", nested: { order: [3, 1, 2] } };
  const said: ModelEvent[] = [
    {
      type: "finish",
      reason: "tool_calls",
      parts: [
        { type: "reasoning", text: "hm", metadata },
        { type: "tool_call", id: "a", name: "echo", arguments: "{}", metadata: { thought: "x" } },
      ],
    },
  ];
  const { model, requests } = scriptedModel([said, says("done")]);
  const outcome = await runTurn(turnOver(model, { tools: [tool("echo")] }).turn);
  const sent = requests[1]?.messages.at(-1);
  expect(sent?.model).toBe("test/scripted");
  expect(JSON.stringify(sent?.parts[0])).toBe(JSON.stringify({ type: "reasoning", text: "hm", metadata }));
  expect(outcome.parts[1]).toMatchObject({ metadata: { thought: "x" } });
});

describe("6: abort", () => {
  it("reaches the model, and keeps what was received", async () => {
    const abort = new AbortController();
    let seen: AbortSignal | undefined;
    const { model } = scriptedModel([
      async (emit, signal) => {
        seen = signal;
        emit({ type: "text_delta", text: "Once upon" });
        abort.abort();
        emit({ type: "failure", failure: new Failure("CANCELLED", "stopped") });
      },
    ]);
    const { turn, events } = turnOver(model, { signal: abort.signal });
    const outcome = await runTurn(turn);
    expect(seen?.aborted).toBe(true);
    expect(outcome).toMatchObject({
      status: "cancelled",
      finishReason: "cancelled",
      parts: [{ type: "text", text: "Once upon" }],
    });
    expect(ofType(events, "error")).toEqual([]);
  });

  it("reaches running tools, and every call still gets its result", async () => {
    const abort = new AbortController();
    const waits = tool("waits", {
      run: (_, context) =>
        new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(new Error("child killed")));
          abort.abort();
        }),
    });
    const script = calls({ name: "waits", arguments: "{}" }, { name: "echo", arguments: "{}" });
    const { model } = scriptedModel([script, says("never")]);
    const { turn, events } = turnOver(model, {
      tools: [waits, tool("echo")],
      signal: abort.signal,
      limits: { parallelTools: 1 },
    });
    const outcome = await runTurn(turn);
    expect(outcome.finishReason).toBe("cancelled");
    expect(ofType(events, "tool_result").map(({ error }) => error?.code)).toEqual(["CANCELLED", "CANCELLED"]);
  });
});

describe("7: limits", () => {
  const forever = calls({ name: "echo", arguments: "{}" });

  it("stops at the limit of steps with a sentence, and keeps the work for the next turn", async () => {
    const { model } = scriptedModel([forever]);
    const { turn, events } = turnOver(model, {
      tools: [tool("echo")],
      limits: { maxIterations: 2, maxToolCalls: 100 },
    });
    const outcome = await runTurn(turn);
    expect(outcome).toMatchObject({ status: "done", finishReason: "iteration_limit", iterations: 2 });
    expect(reduceAll(events).text).toContain("limit of 2 steps");
    expect(
      stepsOf({ id: "", role: "assistant", parts: outcome.parts }).map(({ results }) => results.length),
    ).toEqual([1, 1, 0]);
  });

  it("runs no more calls than allowed, and lets the model answer with what it has", async () => {
    const five = calls(...[1, 2, 3, 4, 5].map(() => ({ name: "echo", arguments: "{}" })));
    const { model, requests } = scriptedModel([five, says("From three results: yes.")]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    const outcome = await runTurn(turn);
    const results = ofType(events, "tool_result");
    expect(results.filter(({ success }) => success)).toHaveLength(3);
    expect(
      results.filter(({ error }) => error?.code === "RESOURCE_EXHAUSTED" && error.status === 503),
    ).toHaveLength(2);
    expect(requests[1]?.toolChoice).toBe("none");
    expect(outcome.finishReason).toBe("tool_limit");
    expect(ofType(events, "warning")).toMatchObject([{ code: "TOOL_LIMIT" }]);
  });

  it("does not mention a limit that was reached exactly", async () => {
    const three = calls(...[1, 2, 3].map(() => ({ name: "echo", arguments: "{}" })));
    const { model, requests } = scriptedModel([three, says("From three results: yes.")]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    const outcome = await runTurn(turn);
    expect(ofType(events, "tool_result").map(({ success }) => success)).toEqual([true, true, true]);
    expect(requests[1]?.toolChoice).toBe("auto");
    expect(outcome.finishReason).toBe("stop");
    expect(ofType(events, "warning")).toEqual([]);
  });

  it("counts the calls of all steps together", async () => {
    const two = calls(...[1, 2].map(() => ({ name: "echo", arguments: "{}" })));
    const { model } = scriptedModel([two, two, says("done")]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    expect((await runTurn(turn)).finishReason).toBe("tool_limit");
    expect(ofType(events, "tool_result").filter(({ success }) => success)).toHaveLength(3);
    expect(ofType(events, "tool_result").filter(({ success }) => !success)).toHaveLength(1);
  });

  it("stops with a sentence if the model does not stop calling tools", async () => {
    const { model, requests } = scriptedModel([forever]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")] });
    const outcome = await runTurn(turn);
    expect(outcome.finishReason).toBe("tool_limit");
    expect(ofType(events, "tool_result").filter(({ success }) => success)).toHaveLength(3);
    expect(ofType(events, "tool_result")).toHaveLength(ofType(events, "tool_call_start").length);
    expect(reduceAll(events).text).toContain("limit of 3 tool calls");
    expect(requests.length).toBeLessThanOrEqual(6);
  });
});

describe("8: failure is data", () => {
  it("turns an exception of the model into an error event", async () => {
    const { model } = scriptedModel([
      async () => {
        throw new TypeError("cannot read /etc/secret of undefined");
      },
    ]);
    const { turn, events } = turnOver(model);
    expect(await runTurn(turn)).toMatchObject({ status: "error", finishReason: "error" });
    expect(JSON.stringify(ofType(events, "error"))).not.toContain("/etc/secret");
  });

  it("shows a vendor's error without the key that it repeats", async () => {
    const key = ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"].join("-");
    const refused = new Failure("UPSTREAM_ERROR", `Incorrect API key provided: ${key}.`);
    const { model } = scriptedModel([failed(refused)]);
    const { turn, events } = turnOver(model);
    await runTurn(turn);
    const [shown] = ofType(events, "error");
    expect(shown?.error).toContain("Incorrect API key provided");
    expect(JSON.stringify(events)).not.toContain(key);
  });

  it("turns a stream without a final event into an error event", async () => {
    const { model } = scriptedModel([[{ type: "text_delta", text: "Hal" }]]);
    expect((await runTurn(turnOver(model).turn)).finishReason).toBe("error");
  });

  it("cleans a tool's exception before the model and the person see it", async () => {
    const leaky = tool("leaky", {
      run: () => {
        throw new Error("denied for sk-proj-abcdefghijklmnop1234 in /home/me/.ssh/id_rsa");
      },
    });
    const { model } = scriptedModel([calls({ name: "leaky", arguments: "{}" }), says("done")]);
    const { turn, events } = turnOver(model, { tools: [leaky] });
    await runTurn(turn);
    const output = ofType(events, "tool_result")[0]?.output ?? "";
    expect(output).toContain("denied");
    expect(output).not.toMatch(/sk-proj|\/home\/me/);
  });
});

describe("9: budgets are checked before each step", () => {
  const script = (usage: object): ModelEvent[] => [
    { type: "usage", usage: { inputTokens: 400, outputTokens: 200, ...usage } },
    ...calls({ name: "echo", arguments: "{}" }).slice(1),
  ];

  it.each([
    ["tokens", { maxTokens: 1_000 }, {}, "TOKEN_LIMIT"],
    ["money", { maxCostUsd: 0.05 }, { costUsd: 0.03 }, "COST_LIMIT"],
  ])("stops when the budget of %s is used up", async (_, limits, usage, code) => {
    const { model, requests } = scriptedModel([script(usage)]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")], limits });
    const outcome = await runTurn(turn);
    expect(outcome.finishReason).toBe("length");
    expect(requests).toHaveLength(2);
    expect(ofType(events, "warning")).toMatchObject([{ code }]);
  });

  it("ends an endless stream", async () => {
    let stopped = false;
    const { model } = scriptedModel([
      async (emit, signal) => {
        for (let count = 0; count < 100_000 && !signal.aborted; count++)
          emit({ type: "text_delta", text: "more " });
        stopped = signal.aborted;
        emit({ type: "failure", failure: new Failure("CANCELLED", "stopped") });
      },
    ]);
    const { turn, events } = turnOver(model, { limits: { maxOutputCharacters: 1_000 } });
    const outcome = await runTurn(turn);
    expect(stopped).toBe(true);
    expect(outcome.finishReason).toBe("length");
    expect(ofType(events, "warning")).toMatchObject([{ code: "OUTPUT_LIMIT" }]);
  });

  it("stops when the time is over", async () => {
    const { model } = scriptedModel([
      failed(new Failure("UPSTREAM_ERROR", "Busy.", { retryable: true, retryAfter: 50 })),
      script({}),
    ]);
    const { turn, events } = turnOver(model, { tools: [tool("echo")], limits: { maxRunMs: 30_000 } });
    expect((await runTurn(turn)).finishReason).toBe("length");
    expect(ofType(events, "warning")).toMatchObject([{ code: "TIME_LIMIT" }]);
  });
});

describe("approval", () => {
  const writes = tool("writes", { effect: "write", preview: () => "+ one line" });
  const script = calls({ name: "writes", arguments: '{"value":1}' });
  const decision = (value: "once" | "deny", note?: string) => async () => ({
    decision: value,
    ...(note ? { note } : {}),
  });

  it("shows the person what will happen, and runs the call when it is allowed", async () => {
    const { model } = scriptedModel([script, says("done")]);
    const { turn, events } = turnOver(model, { tools: [writes], decide: decision("once") });
    await runTurn(turn);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith("tool_"));
    expect(types).toEqual([
      "tool_call_start",
      "tool_approval_required",
      "tool_approval_decided",
      "tool_executing",
      "tool_result",
    ]);
    expect(ofType(events, "tool_approval_required")).toMatchObject([
      { arguments: { value: 1 }, preview: "+ one line", risk: "medium" },
    ]);
  });

  it("tells the model about a denial, with the person's reason", async () => {
    const { model } = scriptedModel([script, says("done")]);
    const { turn, events } = turnOver(model, { tools: [writes], decide: decision("deny", "not on Fridays") });
    await runTurn(turn);
    expect(ofType(events, "tool_result")).toMatchObject([
      { success: false, error: { code: "TOOL_DENIED", status: 403 } },
    ]);
    expect(ofType(events, "tool_result")[0]?.output).toContain("not on Fridays");
    expect(ofType(events, "tool_approval_decided")).toMatchObject([{ decision: "deny" }]);
  });

  it("does not run a call whose arguments changed while the person decided", async () => {
    let ran = false;
    const loose = tool("writes", {
      effect: "write",
      run: () => {
        ran = true;
        return "ran";
      },
    });
    const args: Record<string, unknown> = { value: 1 };
    const { model } = scriptedModel([script, says("done")]);
    const decide = async () => {
      args.value = 9_999;
      return { decision: "once" as const };
    };
    const { turn, events } = turnOver(model, { tools: [loose], decide });
    const guard = { ...turn.guard, admit: async () => args };
    await runTurn({ ...turn, guard });
    expect(ran).toBe(false);
    expect(ofType(events, "tool_result")).toMatchObject([
      { success: false, output: "The call changed after it was approved, so it was not run." },
    ]);
  });

  it("treats no decision as a denial", async () => {
    const { model } = scriptedModel([script, says("done")]);
    const { turn, events } = turnOver(model, { tools: [writes], decide: async () => undefined });
    await runTurn(turn);
    expect(ofType(events, "tool_result")).toMatchObject([{ error: { code: "TOOL_DENIED" } }]);
  });
});

describe("resuming after a crash", () => {
  const asked = { key: "model:0", idempotencyKey: "run_1:model:0", startedSeq: 1 };
  const said = {
    reason: "tool_calls",
    parts: [{ type: "tool_call", id: "call_1", name: "job", arguments: "{}" }],
  };
  const started = {
    key: "tool:call_1",
    idempotencyKey: "run_1:call_1",
    startedSeq: 3,
    state: "started",
  } as const;
  const announced = {
    type: "tool_call_start",
    toolCallId: "call_1",
    toolName: "job",
    arguments: {},
    textOffset: 0,
  } as const;

  it("goes on with a cut answer where the owner before did", async () => {
    const cut = { reason: "length", parts: [{ type: "text", text: "One " }] };
    const next = {
      key: "model:1",
      idempotencyKey: "run_1:model:1",
      startedSeq: 2,
      state: "started",
    } as const;
    const log = memoryLog([contentDelta("One ")], [{ ...asked, state: "finished", result: cut }, next]);
    const { turn } = turnOver(scriptedModel([says("two.")]).model, { log });
    expect(await runTurn(turn)).toMatchObject({ finishReason: "stop", iterations: 2 });
  });

  it("does not repeat a model request that was finished", async () => {
    const { model, requests } = scriptedModel([says("after the crash")]);
    const log = memoryLog([announced], [{ ...asked, state: "finished", result: said }]);
    const { turn, events } = turnOver(model, { tools: [tool("job")], log });
    const outcome = await runTurn(turn);
    expect(requests).toHaveLength(1);
    expect(ofType(events, "tool_call_start")).toHaveLength(1);
    expect(outcome).toMatchObject({ finishReason: "stop", iterations: 2 });
  });

  it.each([
    ["pure", 1, true],
    ["idempotent", 1, true],
    ["unsafe", 0, false],
  ] as const)("with a %s tool that had started: runs it %i times", async (retry, times, success) => {
    let ran = 0;
    const job = tool("job", {
      retry,
      run: (_, context) => {
        ran++;
        return context.idempotencyKey;
      },
    });
    const log = memoryLog([announced], [{ ...asked, state: "finished", result: said }, started]);
    const { model } = scriptedModel([says("after")]);
    const { turn, events } = turnOver(model, { tools: [job], log });
    await runTurn(turn);
    expect(ran).toBe(times);
    const [result] = ofType(events, "tool_result");
    expect(result).toMatchObject(
      success ? { success, output: "run_1:call_1" } : { success, error: { code: "TOOL_OUTCOME_UNKNOWN" } },
    );
  });

  it("uses the result of a finished call", async () => {
    let ran = 0;
    const job = tool("job", {
      retry: "unsafe",
      run: () => {
        ran++;
        return "";
      },
    });
    const result = {
      type: "tool_result",
      toolCallId: "call_1",
      toolName: "job",
      success: true,
      output: "kept",
      trust: "trusted",
    };
    const log = memoryLog(
      [announced],
      [
        { ...asked, state: "finished", result: said },
        { ...started, state: "finished", result },
      ],
    );
    const { model, requests } = scriptedModel([says("after")]);
    await runTurn(turnOver(model, { tools: [job], log }).turn);
    expect(ran).toBe(0);
    expect(requests[0]?.messages.at(-1)?.parts[1]).toMatchObject({ output: "kept" });
  });

  it("waits again for a pending decision, without asking twice", async () => {
    const writes = tool("job", { effect: "write" });
    const first = await questionAbout(writes);
    const { events } = await resumed(writes, first);
    expect(ofType(events, "tool_approval_required")).toEqual([first]);
    expect(ofType(events, "tool_result")).toMatchObject([{ success: true }]);
  });

  it.each<[string, Partial<Tool>, Partial<Tool>]>([
    ["another version", { version: "one" }, { version: "two" }],
    ["another description", {}, { description: "Deletes everything." }],
    ["another name", {}, { name: "deletes", aliases: ["job"], description: "The tool job." }],
    ["other parameters", {}, { parameters: { type: "object", properties: { all: {} } } }],
  ])("asks again if the tool has %s now", async (_, before, now) => {
    const first = await questionAbout({ ...tool("job", { effect: "write" }), ...before });
    const { events } = await resumed({ ...tool("job", { effect: "write" }), ...now }, first);
    const hashes = ofType(events, "tool_approval_required").map((event) => event.argumentsHash);
    expect(hashes).toEqual([first?.argumentsHash, expect.any(String)]);
    expect(hashes[1]).not.toBe(hashes[0]);
    expect(ofType(events, "tool_result")).toMatchObject([{ success: true }]);
  });

  it("asks again if the same text now parses to other arguments", async () => {
    const withDefault = (amount: number) =>
      tool("job", { effect: "write", input: z.object({ amount: z.number().default(amount) }) });
    const first = await questionAbout(withDefault(1));
    const { events } = await resumed(withDefault(1_000), first);
    expect(ofType(events, "tool_approval_required").map((event) => event.arguments)).toEqual([
      { amount: 1 },
      { amount: 1_000 },
    ]);
  });

  it("does not run a call after a decision about other arguments", async () => {
    let ran = 0;
    const writes = tool("job", { effect: "write", run: () => `ran ${++ran}` });
    const first = await questionAbout({ ...writes, version: "before" });
    const { events } = await resumed(writes, first, { argumentsHash: first?.argumentsHash });
    expect(ran).toBe(0);
    expect(ofType(events, "tool_result")).toMatchObject([
      { success: false, error: { code: "TOOL_DENIED" }, output: expect.stringContaining("changed") },
    ]);
  });

  it("asks again if the question was stored without a hash", async () => {
    const writes = tool("job", { effect: "write" });
    const first = await questionAbout(writes);
    const { events } = await resumed(writes, first && { ...first, argumentsHash: undefined });
    expect(ofType(events, "tool_approval_required")).toHaveLength(2);
  });

  /** The question that a first process asks about the call. */
  async function questionAbout(tool: Tool) {
    const log = memoryLog([announced], [{ ...asked, state: "finished", result: said }]);
    const { model } = scriptedModel([says("after")]);
    const { turn, events } = turnOver(model, { tools: [tool], log, decide: async () => undefined });
    await runTurn(turn);
    return ofType(events, "tool_approval_required")[0];
  }

  /** The run after another process took it over, when the question had been asked. */
  async function resumed(tool: Tool, question: unknown, decided: { argumentsHash?: string } = {}) {
    const log = memoryLog(
      [announced, question as ChatEvent],
      [{ ...asked, state: "finished", result: said }],
    );
    const { model } = scriptedModel([says("after")]);
    const decide = async () => ({ decision: "once" as const, ...decided });
    const { turn, events } = turnOver(model, { tools: [tool], log, decide });
    await runTurn(turn);
    return { events };
  }

  it("keeps a partial answer that was continued in vain, and explains what happened", async () => {
    const { model, requests } = scriptedModel([says("never")]);
    const delta = { type: "content_delta", choices: [{ index: 0, delta: { content: "Half an" } }] } as const;
    const log = memoryLog([{ ...delta, choices: [...delta.choices] }], [{ ...asked, state: "started" }]);
    const partialAnswer = { text: "Half an", tries: 3, lost: 7 };
    const { turn, events } = turnOver(model, { log, change: { partialAnswer } });
    const outcome = await runTurn(turn);
    expect(requests).toHaveLength(0);
    expect(outcome).toMatchObject({ finishReason: "error", parts: [{ type: "text", text: "Half an" }] });
    expect(ofType(events, "error")).toMatchObject([{ retryable: true }]);
  });
});

it("ends the turn when the model calls a tool of the client", async () => {
  const { model, requests } = scriptedModel([
    calls({ name: "echo", arguments: "{}" }, { name: "theirs", arguments: "{}" }),
  ]);
  const clientTools = [{ name: "theirs", description: "", parameters: { type: "object" } }];
  const { turn, events } = turnOver(model, { tools: [tool("echo")], change: { clientTools } });
  const outcome = await runTurn(turn);
  expect(outcome.finishReason).toBe("client_tools");
  expect(requests).toHaveLength(1);
  expect(ofType(events, "tool_result").map(({ toolName }) => toolName)).toEqual(["echo"]);
});

it("keeps with signed reasoning what it followed, and with other reasoning nothing", async () => {
  const signed = { type: "reasoning", text: "Hm.", metadata: { signature: "s" } } as const;
  const plain = { type: "reasoning", text: "Well." } as const;
  const { model } = scriptedModel([[{ type: "finish", reason: "stop", parts: [signed, plain] }]]);
  const { turn } = turnOver(model, { change: { prefixOf: ([first]) => `after ${first?.id}` } });
  expect((await runTurn(turn)).parts).toEqual([
    { ...signed, metadata: { signature: "s", prefix: "after msg_1" } },
    plain,
  ]);
});

it("is cancelled, not handed to the client, when the person stops it during a call", async () => {
  const stop = new AbortController();
  const stops = tool("stops", {
    run: () => {
      stop.abort();
      return "";
    },
  });
  const { model } = scriptedModel([
    calls({ name: "stops", arguments: "{}" }, { name: "theirs", arguments: "{}" }),
  ]);
  const clientTools = [{ name: "theirs", description: "", parameters: { type: "object" } }];
  const { turn } = turnOver(model, { tools: [stops], signal: stop.signal, change: { clientTools } });
  expect((await runTurn(turn)).finishReason).toBe("cancelled");
});

it("separates reasoning from text, with its steps and length", async () => {
  const { model } = scriptedModel([
    [
      { type: "reasoning_delta", text: "**Checking the ti" },
      { type: "reasoning_delta", text: "me**\n- look at Tokyo\n\n1. Write the answer\n" },
      { type: "text_delta", text: "It is noon." },
      { type: "finish", reason: "stop", parts: [{ type: "text", text: "It is noon." }] },
    ],
  ]);
  const { turn, events } = turnOver(model);
  await runTurn(turn);
  expect(
    ofType(events, "reasoning_step").map(({ step, stepIndex }) => [
      stepIndex,
      step.phase,
      step.title,
      step.items,
    ]),
  ).toEqual([
    [0, "research", "Checking the time", ["look at Tokyo"]],
    [1, "solution", "Write the answer", []],
  ]);
  const complete = events.findIndex(({ type }) => type === "reasoning_complete");
  expect(complete).toBeLessThan(events.findIndex(({ type }) => type === "content_delta"));
});
