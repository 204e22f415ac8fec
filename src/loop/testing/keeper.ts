import type { ContextView } from "../../protocol/context.ts";
import type { Message } from "../../protocol/messages.ts";
import type { ModelInfo } from "../../protocol/model.ts";
import { ContextKeeper } from "../context-keeper.ts";
import { ModelMemories, tokensOfMessage } from "../estimate.ts";
import type { Summarize } from "../summary.ts";
import type { TurnContext } from "../turn.ts";
import { answers, call, prose, result } from "./conversation.ts";
import { type memoryLog, ofType, says, scriptedModel, type TurnOptions, turnOver } from "./scripted.ts";

/*
 * A window of 20,000 tokens with short answers: something has to go above 14,000, nothing fits above 16,900, old results may
 * go above 12,000 if the cache is cold, and 10,000 should be left after a refusal. The prompt alone takes 8.
 */
export const WINDOW = 20_000;
export const PROMPT = 8;
export const NOTES = "## Goal\nTo read every page of the book.";
export const usage = { inputTokens: 100, outputTokens: 10 };

/** A message that takes exactly so many tokens: four bytes of a file are one. */
export function sized(id: string, role: "user" | "assistant", tokens: number): Message {
  const file = { id: "f", name: `${id}.txt`, mimeType: "text/plain", size: (tokens - 5) * 4 };
  return { id, role, parts: [{ type: "text", text: "", file }] };
}

export interface KeeperOptions {
  info?: Partial<ModelInfo>;
  view?: ContextView;
  changed?: boolean;
  isChatModel?: boolean;
  /** What the summarizer does. False if there is none. */
  ask?: Summarize | false;
  log?: ReturnType<typeof memoryLog>;
  change?: TurnOptions["change"];
  signal?: AbortSignal;
}

/** A keeper over a scripted model, with everything that it did. */
export function keeping(options: KeeperOptions = {}) {
  const { model, requests } = scriptedModel([says(NOTES)], {
    contextWindow: WINDOW,
    maxOutputTokens: 100,
    ...options.info,
  });
  const memory = new ModelMemories().of(model.id);
  let asked = 0;
  const ask: Summarize = options.ask || (async () => ({ text: NOTES, usage }));
  const counted: Summarize = (...question) => {
    asked++;
    return ask(...question);
  };
  const context: TurnContext = {
    view: options.view ?? {},
    memory,
    changed: options.changed ?? false,
    ...(options.ask === false
      ? {}
      : { summarizer: { ask: counted, isChatModel: options.isChatModel ?? false } }),
  };
  const { turn, events, changes } = turnOver(model, {
    log: options.log,
    signal: options.signal,
    change: { context, ...options.change },
  });
  const keeper = new ContextKeeper(turn, context);
  const compactions = () =>
    ofType(events, "context_compacted").map(({ messages, tokensBefore, tokensAfter, reason }) => ({
      messages,
      tokensBefore,
      tokensAfter,
      reason,
    }));
  return { keeper, memory, requests, events, changes, compactions, asked: () => asked };
}

/** Returns how many tokens the messages take by estimate. */
export function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** A turn that can be summarized, and a question: with the prompt so many tokens. */
export function talk(tokens: number): Message[] {
  return [
    sized("q1", "user", 5_000),
    sized("a1", "assistant", 5_000),
    sized("q2", "user", tokens - PROMPT - 10_000),
  ];
}

/** An answer whose steps read about so many tokens each. */
export function reads(id: string, ...tokens: number[]): Message {
  const steps = tokens.map((size, at) => [call(`${id}${at}`), result(`${id}${at}`, prose(size - 60))]);
  return answers(id, ...steps.flat());
}
