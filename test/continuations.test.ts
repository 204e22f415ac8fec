import { describe, expect, it } from "vitest";
import { runTurn } from "../src/loop/run.ts";
import { ofType, says, turnOver } from "../src/loop/testing/scripted.ts";
import { openAnswer } from "../src/models/wire/answer.ts";
import { createFrameReader } from "../src/models/wire/body.ts";
import { DIALECTS } from "../src/models/wire/dialects.ts";
import { loadRecordings, replay, testContext } from "../src/models/wire/testing/replay.ts";
import type { Model, ModelEvent, ModelRequest } from "../src/protocol/model.ts";
import type { Dialect } from "../src/protocol/provider.ts";
import { reduceAll } from "../src/protocol/reduce.ts";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../src/sim/testing/gemini-turn.ts";
import { ollamaTurn } from "../src/sim/testing/ollama-turn.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";

const WORDS = Array.from({ length: 12 }, (_, index) => `word-${index}`).join(" ");
const ANSWER = {
  reasoning: "First I look at it. Then I say what I see.",
  text: `${WORDS}.\n\n\`\`\`js\nconst a = 1;\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nFin 🙂 done.`,
  chunkSize: 7,
};
const CALLS = [
  { name: "first", arguments: { city: "Rome", days: 3 } },
  { name: "second", arguments: { city: "Bern", days: 4 } },
];
const TURNS: Record<string, (answer: typeof ANSWER & { calls?: typeof CALLS }) => Turn> = {
  "openai-chat": chatTurn,
  "openai-responses": responsesTurn,
  "anthropic-messages": anthropicTurn,
  gemini: geminiTurn,
  ollama: ollamaTurn,
};

/** How a model goes on after what was said. */
const MANNERS = {
  "goes on": (text: string, said: string) => text.slice(said.length),
  "repeats its last words": (text: string, said: string) => {
    // Nobody can say whether a single mark or digit is repeated.
    if (said.trim().length < 4) return text.slice(said.length);
    const last = said.trimEnd().split(/\s/).slice(-6).join(" ");
    return text.slice(Math.max(0, said.trimEnd().lastIndexOf(last)));
  },
  "starts over": (text: string) => text,
};

/** The bytes of a scripted answer, one element for each frame. */
function framesOf(turn: Turn, dialect: Dialect): Buffer[] {
  return turn.frames.flatMap((frame) => {
    if (typeof frame === "string") return [Buffer.from(frame)];
    if (!("json" in frame)) return [];
    const event = "event" in frame && frame.event ? `event: ${frame.event}\n` : "";
    const json = JSON.stringify(frame.json);
    return [Buffer.from(dialect.sendsLines ? `${json}\n` : `${event}data: ${json}\n\n`)];
  });
}

/** A model that breaks off after these frames, goes on when it is asked to, and has nothing to do after calls. */
function breakingModel(
  dialect: Dialect,
  frames: Buffer[],
  goOn: (request: ModelRequest) => ModelEvent[],
): Model {
  let asked = 0;
  return {
    id: "test/test-model",
    info: { name: "test-model" },
    async stream(request, emit) {
      if (asked++ > 0) {
        for (const event of goOn(request)) emit(event);
        return;
      }
      const answer = openAnswer(dialect, testContext(), request, emit);
      const reader = createFrameReader(dialect, { onFrame: answer.frame });
      for (const frame of frames) reader.push(frame);
      reader.end();
      answer.end();
    },
  };
}

async function checkCut(dialect: Dialect, frames: Buffer[], at: number, manner: keyof typeof MANNERS) {
  const whole = replay(dialect, Buffer.concat(frames));
  const calls = whole.calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(JSON.parse(args))}`);
  const rest = (request: ModelRequest): ModelEvent[] => {
    if (request.messages.some(({ role }) => role === "assistant")) return says("");
    const text = MANNERS[manner](whole.text, request.continues ?? "");
    return [
      { type: "reasoning_delta", text: whole.reasoning || "Again." },
      ...(text === "" ? [] : [{ type: "text_delta" as const, text }]),
      {
        type: "finish",
        reason: whole.calls.length > 0 ? "tool_calls" : "stop",
        parts: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...whole.calls],
      },
    ];
  };
  const { turn, events } = turnOver(breakingModel(dialect, frames.slice(0, at), rest));
  const outcome = await runTurn(turn);
  const state = reduceAll(events);
  expect(ofType(events, "error")).toEqual([]);
  const said = outcome.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  expect(said).toBe(state.text);
  const made = ofType(events, "tool_call_start").map(
    (call) => `${call.toolName} ${JSON.stringify(call.arguments)}`,
  );
  // Where some of several calls had arrived whole, they are run, and the model asks for the others itself.
  expect(calls).toEqual(expect.arrayContaining(made));
  if (calls.length > 0) expect(made.length).toBeGreaterThan(0);
  if (made.length === calls.length) expect(state.text).toBe(whole.text);
  const thoughts = state.blocks.flatMap((block) =>
    block.type === "reasoning" ? [block.reasoning.text] : [],
  );
  if (whole.reasoning !== "") expect(whole.reasoning.startsWith(thoughts.join(""))).toBe(true);
}

describe.each(Object.entries(TURNS))("an answer of %s that breaks off at any frame", (id, turnOf) => {
  const dialect = Object.values(DIALECTS).find((one) => one.id === id);
  if (!dialect) throw new Error(`there is no dialect ${id}`);

  it.each(Object.keys(MANNERS) as (keyof typeof MANNERS)[])("is whole where the model %s", async (manner) => {
    const frames = framesOf(turnOf(ANSWER), dialect);
    expect(replay(dialect, Buffer.concat(frames)).text).toBe(ANSWER.text);
    for (let at = 0; at <= frames.length; at++) await checkCut(dialect, frames, at, manner);
  });

  it("has its whole calls run, and half a call asked for again", async () => {
    const frames = framesOf(turnOf({ ...ANSWER, calls: CALLS }), dialect);
    for (let at = 0; at <= frames.length; at++) await checkCut(dialect, frames, at, "goes on");
  });
});

/** Few of each kind: every frame of every one would take minutes. */
const recordings = Object.values(DIALECTS).flatMap((dialect) => {
  const good = loadRecordings(dialect.id).filter(
    ({ expected, bytes }) => !expected.error && bytes.length < 60_000,
  );
  const kinds = Map.groupBy(
    good,
    ({ expected }) => `${expected.text !== ""} ${expected.reasoning !== ""} ${expected.calls.length}`,
  );
  return [...kinds.values()].flatMap(([recording]) => (recording ? [{ dialect, recording }] : []));
});

describe.each(recordings)(
  "the recorded $recording.file that breaks off at any frame",
  ({ dialect, recording }) => {
    it("is whole in the end", async () => {
      const text = recording.bytes.toString();
      const frames = text
        .split(dialect.sendsLines ? /(?<=\n)/ : /(?<=\n\n)/)
        .map((frame) => Buffer.from(frame));
      for (let at = 0; at < frames.length; at++)
        await checkCut(dialect, frames, at, at % 2 === 0 ? "goes on" : "repeats its last words");
    });
  },
);
