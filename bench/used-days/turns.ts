import { contentDelta } from "../../src/protocol/deltas.ts";
import type { ChatEvent } from "../../src/protocol/events.ts";
import type { AssistantPart, Part } from "../../src/protocol/messages.ts";
import { textMessage } from "../../src/protocol/messages.ts";
import { reduceAll } from "../../src/protocol/reduce.ts";
import type { FinishRun, OpenRun, RunBatch } from "../../src/protocol/run-records.ts";

const WORDS = 30_000;
/** Words that a person and a model write, and that a tool returns every third time. */
const LENGTHS = { question: 40, reasoning: 120, answer: 350, result: 400 };

/** A turn as a run writes it, and how much of it people can see. */
export interface PlayedTurn {
  open: OpenRun;
  events: ChatEvent[];
  steps: RunBatch["steps"];
  end: { events: ChatEvent[]; message: FinishRun["message"] };
  shownBytes: number;
}

/** Says so many words, of which a few are common and most are rare. */
export type Speaker = (words: number) => string;

/** Returns a speaker that says the same every time. */
export function createSpeaker(): Speaker {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const word = () => `w${Math.floor(random() ** 3 * WORDS).toString(36)}`;
  return (words) => Array.from({ length: words }, word).join(" ");
}

/** Yields the turns of a day. Five of them make a conversation. */
export function* turnsOfDay(say: Speaker, day: number, count: number): Generator<PlayedTurn> {
  for (let turn = 0; turn < count; turn++) {
    const name = `${day}_${turn}`;
    yield turnOf(say, name, {
      sessionId: `session_${day}_${turn - (turn % 5)}`,
      isFirst: turn % 5 === 0,
      calls: turn % 3 === 0,
    });
  }
}

function turnOf(
  say: Speaker,
  name: string,
  { sessionId, isFirst, calls }: { sessionId: string; isFirst: boolean; calls: boolean },
): PlayedTurn {
  const ids = { runId: `run_${name}`, messageId: `answer_${name}`, sessionId };
  const question = say(LENGTHS.question);
  const reasoning = say(LENGTHS.reasoning);
  const answer = say(LENGTHS.answer);
  const title = say(5);
  const firstEvent: ChatEvent = { type: "session", ...ids, model: "demo/demo", title };
  const call = calls ? callOf(say, `call_${name}`) : undefined;
  const events: ChatEvent[] = [
    ...pieces(reasoning).map(
      (piece): ChatEvent => ({
        type: "reasoning_delta",
        choices: [{ index: 0, delta: { reasoning_content: piece } }],
      }),
    ),
    { type: "reasoning_complete", reasoning, steps: [], durationMs: 900 },
    ...(call?.events ?? []),
    ...pieces(answer).map(contentDelta),
  ];
  const { messageId } = ids;
  const done: ChatEvent[] = [
    { type: "usage", inputTokens: 800, outputTokens: 500 },
    { type: "done", finishReason: "stop", messageId, iterations: 1, toolCalls: calls ? 1 : 0 },
  ];
  const state = reduceAll([firstEvent, ...events, ...done]);
  const said: Part[] = [{ type: "reasoning", text: reasoning }, ...(call?.parts ?? [])];
  const parts: Part[] = [...said, { type: "text", text: answer }];
  const seen = [question, reasoning, answer, ...(call?.shown ?? []), ...(isFirst ? [title] : [])];
  return {
    open: {
      ...ids,
      userId: "ada",
      owner: "bench",
      leaseMs: 60_000,
      request: { model: "demo/demo" },
      ...(isFirst ? { newSession: { title } } : {}),
      userMessage: textMessage(`question_${name}`, "user", question),
      firstEvent,
    },
    events,
    steps: [
      { key: "model:0", state: "started", idempotencyKey: `${ids.runId}:model:0` },
      { key: "model:0", state: "finished", result: { reason: "stop", parts: said.filter(isSaid) } },
    ],
    end: {
      events: done,
      message: {
        id: messageId,
        model: state.model,
        finishReason: state.finishReason,
        usage: state.usage,
        state,
        parts,
      },
    },
    shownBytes: seen.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
}

function isSaid(part: Part): part is AssistantPart {
  return part.type !== "tool_result";
}

/** A call that reads a page. */
function callOf(say: Speaker, toolCallId: string) {
  const url = `https://example.com/${toolCallId}`;
  const output = say(LENGTHS.result);
  const toolName = "web_fetch";
  const events: ChatEvent[] = [
    { type: "tool_call_start", toolCallId, toolName, arguments: { url }, textOffset: 0 },
    { type: "tool_executing", toolCallId, toolName },
    {
      type: "tool_result",
      toolCallId,
      toolName,
      success: true,
      latencyMs: 420,
      retryCount: 0,
      cached: false,
      output,
    },
  ];
  const parts: Part[] = [
    { type: "tool_call", id: toolCallId, name: toolName, arguments: JSON.stringify({ url }) },
    { type: "tool_result", toolCallId, toolName, success: true, output, trust: "untrusted" },
  ];
  return { events, parts, shown: [toolName, url, output] };
}

function pieces(text: string): string[] {
  return text.split(/(?<= )/);
}
