import { expect, it } from "vitest";
import type { ToolContext } from "../../protocol/tool.ts";
import { elicit } from "./elicitation.ts";

function contextWith(ask: ToolContext["ask"]): ToolContext {
  return {
    toolCallId: "call_1",
    principal: { id: "local", kind: "owner" },
    sessionId: undefined,
    runId: "run_1",
    requestId: "req_1",
    idempotencyKey: "call_1",
    signal: new AbortController().signal,
    roots: [],
    now: () => new Date(0),
    progress: () => {},
    show: () => {},
    ...(ask ? { ask } : {}),
  };
}

const form = (properties: object, required: string[] = []) => ({
  message: "Tell me.",
  requestedSchema: { type: "object", properties, required },
});

it("never asks for secrets", async () => {
  const never = async () => {
    throw new Error("it asked");
  };
  for (const name of ["password", "apiKey", "access_token", "userSecret"])
    expect(await elicit("s", form({ [name]: { type: "string" } }), contextWith(never))).toEqual({
      action: "decline",
    });
});

it("shows the person an address instead of opening it, and asks nobody where nobody is there", async () => {
  const page = (url: string) => ({ mode: "url", message: "Pay there.", url });
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return "I have opened it";
  };
  expect(await elicit("s", page("https://pay.example/42"), contextWith(ask))).toEqual({ action: "accept" });
  expect(asked.join()).toContain("https://pay.example/42");
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "https://you@pay.example"])
    expect(await elicit("s", page(url), contextWith(ask))).toEqual({ action: "decline" });
  expect(asked).toHaveLength(1);
  expect(await elicit("s", page("https://pay.example"), contextWith(undefined))).toEqual({
    action: "cancel",
  });
  expect(await elicit("s", form({ name: { type: "string" } }), contextWith(undefined))).toEqual({
    action: "cancel",
  });
});

it("takes the defaults if the person made the call themselves and nothing else is wanted", async () => {
  const direct = { ...contextWith(undefined), isDirect: true };
  const known = { name: { type: "string", default: "Ada" }, verified: { type: "boolean", default: true } };
  expect(await elicit("s", form(known), direct)).toEqual({
    action: "accept",
    content: { name: "Ada", verified: true },
  });
  expect(await elicit("s", form({ ...known, age: { type: "integer" } }), direct)).toEqual({
    action: "cancel",
  });
  expect(await elicit("s", form(known), contextWith(undefined))).toEqual({ action: "cancel" });
});

it("asks again if an answer does not fit", async () => {
  const answers = ["many", "3"];
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift();
  };
  const count = form({ count: { type: "integer", title: "How many" } }, ["count"]);
  expect(await elicit("s", count, contextWith(ask))).toEqual({ action: "accept", content: { count: 3 } });
  expect(asked[1]).toContain("That does not fit.");
});

it("cancels if nobody answers, and a form without fields is a plain yes or no", async () => {
  expect(
    await elicit(
      "s",
      form({ name: { type: "string" } }),
      contextWith(async () => undefined),
    ),
  ).toEqual({ action: "cancel" });
  expect(
    await elicit(
      "s",
      form({}),
      contextWith(async () => "Yes"),
    ),
  ).toEqual({ action: "accept", content: {} });
  expect(
    await elicit(
      "s",
      form({}),
      contextWith(async () => "No"),
    ),
  ).toEqual({ action: "decline" });
});
