import { describe, expect, it } from "vitest";
import { DIALECTS } from "../models/wire/dialects.ts";
import { replay, replayWhole } from "../models/wire/testing/replay.ts";
import type { Dialect } from "../protocol/provider.ts";
import { anthropicTurn } from "./testing/anthropic-turn.ts";
import { geminiTurn } from "./testing/gemini-turn.ts";
import { responsesTurn } from "./testing/responses-turn.ts";
import { scriptOf, type Turn } from "./turn.ts";
import { chatTurn, type ScriptedAnswer } from "./turns.ts";

const SAID: ScriptedAnswer = {
  reasoning: "First **Zürich**, then Tōkyō.",
  text: "It is noon ☀️ in Zürich.",
  calls: [
    { name: "get_time", arguments: { timeZone: "Europe/Zurich" } },
    { name: "filesystem", arguments: { operation: "list", path: "." } },
  ],
  usage: { inputTokens: 30, outputTokens: 12, cachedTokens: 4 },
  chunkSize: 5,
};

const BUILDERS: [string, (answer: ScriptedAnswer) => Turn][] = [
  ["openai-chat", chatTurn],
  ["anthropic-messages", anthropicTurn],
  ["openai-responses", responsesTurn],
  ["gemini", geminiTurn],
];

function bytesOf(turn: Turn): Buffer {
  return Buffer.concat(scriptOf(turn).packets.map((packet) => packet.bytes));
}

function dialectOf(id: string): Dialect {
  const dialect = DIALECTS[id];
  if (!dialect) throw new Error(`There is no dialect ${id}`);
  return dialect;
}

describe.each(BUILDERS)("a scripted answer in %s", (id, build) => {
  it.each([1, 4096])("is decoded by the product's own reader, in packets of %i bytes", (size) => {
    const read = replay(dialectOf(id), bytesOf(build(SAID)), size);
    expect(read.failure).toBeUndefined();
    expect(read.reasoning).toBe(SAID.reasoning);
    expect(read.text).toBe(SAID.text);
    expect(read.calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) }))).toEqual(
      SAID.calls,
    );
    expect(read.usage).toMatchObject({ inputTokens: 30, outputTokens: 12, cachedTokens: 4 });
    expect(read.finish?.reason).toBe("tool_calls");
  });

  it("is decoded from one JSON body", () => {
    const body: unknown = JSON.parse(bytesOf(build({ ...SAID, whole: true })).toString());
    const read = replayWhole(dialectOf(id), body);
    expect(read.failure).toBeUndefined();
    expect(read.text).toBe(SAID.text);
    expect(read.calls).toHaveLength(2);
  });
});

it("data that a vendor wants back is kept with its part", () => {
  const keep = (id: string, turn: Turn) => JSON.stringify(replay(dialectOf(id), bytesOf(turn)).parts);
  expect(keep("anthropic-messages", anthropicTurn({ ...SAID, signature: "sig-a" }))).toContain("sig-a");
  expect(keep("openai-responses", responsesTurn({ ...SAID, encryptedReasoning: "enc-b" }))).toContain(
    "enc-b",
  );
  expect(keep("gemini", geminiTurn({ ...SAID, thoughtSignature: "sig-c" }))).toContain("sig-c");
});
