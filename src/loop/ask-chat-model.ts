import { Failure } from "../protocol/failure.ts";
import { type Message, textMessage, textOf } from "../protocol/messages.ts";
import { Attempts, type ModelEvent, type ModelRequest, type Usage } from "../protocol/model.ts";
import { requestFor, withoutForcedTool } from "./ask.ts";
import type { AskChatModel } from "./compact.ts";
import { tokensOfSummary } from "./summary.ts";
import type { Turn } from "./turn.ts";

/** Tokens that are kept free for the instruction, and for what an estimate may be wrong by. */
const MARGIN = 0.02;
const INSTRUCTION_TOKENS = 600;

/**
 * Returns how to ask the turn's model for a summary of `messages` right after the last answer in them. The request begins byte for byte like the last
 * one, so the vendor reads it from its cache. Undefined if another model writes summaries, or if there is no room.
 */
export function chatModelAsker(
  turn: Turn,
  messages: Message[],
  { tokens, window }: { tokens: number; window: number },
): AskChatModel | undefined {
  const { context, model, settings } = turn;
  if (!context?.summarizer?.isChatModel || model.info.outputsImages || settings?.responseFormat)
    return undefined;
  // What the model has not answered yet is not summarized.
  const answered = messages.slice(0, messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const room = window * (1 - MARGIN) - tokens - INSTRUCTION_TOKENS;
  if (answered.length === 0 || room < tokensOfSummary(window)) return undefined;
  return async (instruction, signal) => {
    const asked = [...answered, textMessage("summarize", "user", instruction)];
    const attempts = new Attempts("compact", turn.caller);
    // Some vendors find the request in their cache only with the same tool choice and reasoning effort.
    const request = await requestFor(
      withoutForcedTool(turn),
      asked,
      turn.toolChoice === "none" ? "none" : "auto",
    );
    try {
      return await read(turn, { ...request, ...lengthFor(turn, window), stop: [], attempts }, signal);
    } finally {
      await attempts.end();
    }
  };
}

/** A model that reasons keeps the room that it has: what it thinks counts too. */
function lengthFor({ model, settings }: Turn, window: number): Pick<ModelRequest, "maxOutputTokens"> {
  const most = settings?.maxOutputTokens;
  if (most === undefined && model.info.reasoning) return {};
  return { maxOutputTokens: Math.max(most ?? 0, tokensOfSummary(window)) };
}

async function read(
  { model }: Turn,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<{ text: string; usage: Usage; model: string }> {
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let end: ModelEvent | undefined;
  await model.stream(
    request,
    (event) => {
      if (event.type === "usage") usage = event.usage;
      if (event.type === "finish" || event.type === "failure") end = event;
    },
    signal,
  );
  if (end?.type === "failure") throw end.failure;
  if (end?.type !== "finish") throw new Failure("UPSTREAM_ERROR", "The model's answer ended early.");
  const isText = end.parts.every(({ type }) => type === "text" || type === "reasoning");
  return { text: isText ? textOf({ parts: end.parts }) : "", usage, model: model.id };
}
