import { describe, expect, it } from "vitest";
import { type AssistantPart, textMessage, textOf } from "../../protocol/messages.ts";
import type { ModelEvent, ModelFinishReason, ModelRequest } from "../../protocol/model.ts";
import { type Demands, withChecks } from "./checked-answers.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, at: { type: "string", format: "date-time" } },
  required: ["city"],
  additionalProperties: false,
};
const format = { type: "json", schema } as const;

type Answer = string | { text: string; reason: ModelFinishReason } | AssistantPart[];

/** Asks a model that gives these answers, one for each request. */
async function ask(answers: Answer[], demands: Omit<Demands, "hold"> & { hold?: boolean } = { format }) {
  const requests: ModelRequest[] = [];
  const events: ModelEvent[] = [];
  const stream = withChecks(
    async (request, emit) => {
      const answer = answers[requests.push(request) - 1] ?? "";
      const parts: AssistantPart[] = Array.isArray(answer)
        ? answer
        : [{ type: "text", text: typeof answer === "string" ? answer : answer.text }];
      emit({ type: "usage", usage: { inputTokens: 5, outputTokens: 1 } });
      for (const piece of textOf({ parts }).split(/(?=[{"}])/)) emit({ type: "text_delta", text: piece });
      emit({
        type: "finish",
        reason: typeof answer === "object" && "reason" in answer ? answer.reason : "stop",
        parts,
      });
    },
    () => ({ ...demands, hold: () => demands.hold ?? true }),
  );
  const request = { messages: [textMessage("u", "user", "Where?")], tools: [] };
  await stream(request, (event) => events.push(event), new AbortController().signal);
  const shown = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
  const end = events.at(-1);
  const usage = events.findLast((event) => event.type === "usage");
  return { requests, shown, end, usage };
}

describe("an answer in a format", () => {
  it("passes unchanged if it is right, piece by piece if the vendor guarantees it", async () => {
    const held = await ask(['{"city":"Oslo"}']);
    expect(held.shown).toEqual(['{"city":"Oslo"}']);
    expect(held.requests).toHaveLength(1);
    const live = await ask(['{"city":"Oslo"}'], { format, hold: false });
    expect(live.shown.length).toBeGreaterThan(1);
    expect(live.shown.join("")).toBe('{"city":"Oslo"}');
    expect(live.end?.type).toBe("finish");
  });

  it.each([
    ['```json\n{"city":"Oslo"}\n```'],
    ['Here it is:\n```\n{"city":"Oslo"}\n```\nAnything else?'],
    ['Sure: {"city":"Oslo"}'],
    ['  {"city":"Oslo"}\n'],
  ])("is taken out of its wrapping: %j", async (said) => {
    const { shown, end } = await ask([said]);
    expect(shown).toEqual(['{"city":"Oslo"}']);
    expect(end).toMatchObject({ type: "finish", parts: [{ type: "text", text: '{"city":"Oslo"}' }] });
  });

  it("holds nobody up if a model writes blank lines until it is stopped", async () => {
    const before = process.threadCpuUsage();
    const { requests } = await ask([`\`\`\`json${"\n".repeat(30_000)}x`, '{"city":"Oslo"}']);
    const { user, system } = process.threadCpuUsage(before);
    expect(requests).toHaveLength(2);
    // Trying each line again takes minutes.
    expect((user + system) / 1000).toBeLessThan(2_000);
  });

  it.each([
    ["prose", "In Oslo.", "It is not JSON."],
    ["a missing field", "{}", "city: "],
    ["a wrong type", '{"city":7}', "city: "],
    ["another field", '{"city":"Oslo","more":1}', "more"],
    ["a list", "[]", "object"],
  ])("is asked for once more, with what is wrong: %s", async (_, wrong, problem) => {
    const { requests, shown, end, usage } = await ask([wrong, '{"city":"Oslo"}']);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(textOf(requests[1]?.messages.at(-1) ?? { parts: [] })).toContain(problem);
    expect(shown).toEqual(['{"city":"Oslo"}']);
    expect(end?.type).toBe("finish");
    expect(usage).toMatchObject({ usage: { inputTokens: 10, outputTokens: 2 } });
  });

  it("is a failure if it is wrong twice, or wrong and already shown", async () => {
    const twice = await ask(["In Oslo.", "Oslo, as I said."]);
    expect(twice.shown).toEqual([]);
    expect(twice.requests).toHaveLength(2);
    expect(twice.end).toMatchObject({ failure: { code: "UPSTREAM_ERROR", retryable: false } });
    const shown = await ask(["In Oslo."], { format, hold: false });
    expect(shown.requests).toHaveLength(1);
    expect(shown.end).toMatchObject({ failure: { code: "UPSTREAM_ERROR" } });
  });

  it("passes as it is if it was cut off or refused, or calls a tool", async () => {
    for (const reason of ["length", "content_filter"] as const) {
      const { shown, end } = await ask([{ text: '{"ci', reason }]);
      expect(shown).toEqual(['{"ci']);
      expect(end).toMatchObject({ type: "finish", reason });
    }
    const call = { type: "tool_call", id: "c", name: "look", arguments: "{}" } as const;
    const { shown, end } = await ask([[{ type: "text", text: "Looking." }, call]]);
    expect(shown).toEqual(["Looking."]);
    expect(end).toMatchObject({ type: "finish", parts: [{ text: "Looking." }, call] });
  });

  it("may be any object if there is no schema, and is not checked if the schema cannot be read", async () => {
    const any = { type: "json" } as const;
    expect((await ask(['{"a":1}'], { format: any })).end?.type).toBe("finish");
    expect((await ask(["[1]", "7"], { format: any })).end?.type).toBe("failure");
    const odd = { type: "json", schema: { $ref: "https://example.com/schema" } } as const;
    expect((await ask(['{"a":1}'], { format: odd })).end?.type).toBe("finish");
  });

  it("may write times as it likes", async () => {
    expect((await ask(['{"city":"Oslo","at":"2026-11-16T10:00:00+01:00"}'])).requests).toHaveLength(1);
  });
});

describe("a call that a model is asked for in words", () => {
  const call: AssistantPart = { type: "tool_call", id: "c", name: "look", arguments: "{}" };

  it("is asked for once more if the model writes text instead", async () => {
    const { requests, shown, end } = await ask(["I will look.", [call]], { call: { tool: "look" } });
    expect(textOf(requests[1]?.messages.at(-1) ?? { parts: [] })).toContain("the tool look");
    expect(shown).toEqual([]);
    expect(end).toMatchObject({ type: "finish", parts: [call] });
  });

  it("may be any call, and is a failure if there is none", async () => {
    expect((await ask([[call]], { call: "any" })).end?.type).toBe("finish");
    expect((await ask(["No.", "No."], { call: "any" })).end?.type).toBe("failure");
  });
});
