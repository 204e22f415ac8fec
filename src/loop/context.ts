import type { ContextView, Place } from "../protocol/context.ts";
import { beginsWith, factsOf, type Message, type Part, textMessage } from "../protocol/messages.ts";
import { resultTokens, tokensAround, tokensOfImages, tokensOfMessage, tokensOfPart } from "./estimate.ts";
import { isPrunable, prunedResult, shortenedResult, tokensOfPruned } from "./shown-results.ts";

// Decides what a request sends of a conversation. Pure: the same messages, view and window give the same bytes.

/** Results were shortened when they arrived. Only those of a model with a larger window are cut again. */
const LARGER = 1.5;
/** Only so many of the newest images are sent. */
const SENT_IMAGES = 8;

/** What a request sends of a conversation. */
export interface Projection {
  messages: Message[];
  /** How many tokens that takes, by estimate. */
  tokens: number;
}

/** Returns what a request sends: the summary, and what came after it with its results as far as they are shown. */
export function project(history: readonly Message[], view: ContextView, window: number): Projection {
  if (!view.summary && !view.pruned && !view.shortened && !factsOf(history).calls) return whole(history);
  const { summary } = view;
  const before = summary && locate(history, summary.before);
  const from = summary ? history.findIndex(({ id }) => id === summary.from) : -1;
  const most = Math.floor(resultTokens(window) * LARGER);
  const rules: Rules = {
    pruned: locate(history, view.pruned),
    shortened: locate(history, view.shortened?.before),
    most,
    fewer: Math.min(most, view.shortened?.tokens ?? most),
  };
  const sent: Projection = { messages: [], tokens: 0 };
  const applies = summary !== undefined && before !== undefined && from !== -1;
  for (let index = 0; index < history.length; index++) {
    const message = history[index];
    if (!message) continue;
    if (applies && index < from) {
      if (message.role === "system") send(sent, message);
      continue;
    }
    if (applies && index === from) send(sent, textMessage(`summary_${summary.from}`, "user", summary.text));
    const skipped = applies && index === before.index ? before.part : 0;
    if (message.role === "assistant") sendAnswer(sent, message, index, skipped, rules);
    else send(sent, skipped === 0 ? message : { ...message, parts: message.parts.slice(skipped) });
  }
  // Older images are only mentioned.
  sent.tokens -= tokensOfImages(Math.max(0, countImages(sent.messages) - SENT_IMAGES));
  return sent;
}

/** By the first message: what was sent of a conversation before. */
const sentWhole = new WeakMap<Message, Projection & { images: number }>();

/** Returns a conversation of which everything is sent. Only what was added since the last time is weighed. */
function whole(history: readonly Message[]): Projection {
  const [first] = history;
  const known = first && sentWhole.get(first);
  const start = known && beginsWith(history, known.messages) ? known : undefined;
  const added = history.slice(start?.messages.length ?? 0);
  const images = (start?.images ?? 0) + countImages(added);
  const tokens = added.reduce((sum, message) => sum + tokensOfMessage(message), start?.tokens ?? 0);
  const messages = [...history];
  if (first) sentWhole.set(first, { messages, tokens, images });
  return { messages, tokens: tokens - tokensOfImages(Math.max(0, images - SENT_IMAGES)) };
}

function send(sent: Projection, message: Message): void {
  sent.messages.push(message);
  sent.tokens += tokensOfMessage(message);
}

interface Position {
  index: number;
  part: number;
}

function locate(history: readonly Message[], place: Place | undefined): Position | undefined {
  if (!place) return undefined;
  const index = history.findLastIndex(({ id }) => id === place.messageId);
  return index === -1 ? undefined : { index, part: place.part };
}

function isBefore(index: number, part: number, position: Position | undefined): boolean {
  return (
    position !== undefined && (index < position.index || (index === position.index && part < position.part))
  );
}

interface Rules {
  pruned: Position | undefined;
  shortened: Position | undefined;
  most: number;
  fewer: number;
}

function sendAnswer(sent: Projection, message: Message, index: number, from: number, rules: Rules): void {
  const parts: Part[] = [];
  let changed = from > 0;
  sent.tokens += tokensAround(message);
  for (let at = from; at < message.parts.length; at++) {
    const part = message.parts[at];
    if (!part) continue;
    let shown = part;
    if (isBefore(index, at, rules.pruned) && isPrunable(part)) {
      shown = prunedResult(part, message.parts);
      sent.tokens += tokensOfPruned(shown);
    } else {
      if (part.type === "tool_result")
        shown = shortenedResult(part, isBefore(index, at, rules.shortened) ? rules.fewer : rules.most);
      sent.tokens += tokensOfPart(shown);
    }
    changed ||= shown !== part;
    parts.push(shown);
  }
  sent.messages.push(changed ? { ...message, parts } : message);
}

function countImages(messages: readonly Message[]): number {
  let images = 0;
  for (const { parts } of messages) for (const { type } of parts) if (type === "image") images++;
  return images;
}

/** When to act, in tokens. */
export interface Thresholds {
  /** Old results may go if the vendor's cache is cold anyway. */
  prune: number;
  /** Something has to go now. */
  act: number;
  /** Nothing fits above this. */
  hard: number;
  /** What should be left afterwards. */
  target: number;
}

const SMALL_WINDOW = 64_000;
const COUNTED_OUTPUT = 20_000;
const USUAL_OUTPUT = 8_000;

/** Returns the thresholds for a window, of which the answer takes up to `output`. */
export function thresholdsOf(window: number, output: number = USUAL_OUTPUT): Thresholds {
  const answer = Math.min(output, COUNTED_OUTPUT, window / 4);
  const act = window < SMALL_WINDOW ? window * 0.7 : Math.min(window * 0.85, window - answer - 13_000);
  return {
    prune: window * 0.6,
    act,
    hard: Math.max(act, window - answer - 3_000),
    target: window * 0.5,
  };
}

/** How much of the newest results is never pruned, and how much a pass has to free. */
export function pruningOf(window: number): { kept: number; least: number } {
  return { kept: Math.min(40_000, window * 0.15), least: Math.min(20_000, window * 0.1) };
}

/** Returns the place before which results can be pruned, keeping the newest. Undefined if there is nothing to prune. */
export function placeToPrune(
  history: readonly Message[],
  view: ContextView,
  window: number,
): Place | undefined {
  const { kept } = pruningOf(window);
  const last = locate(history, view.pruned);
  const summarized = locate(history, view.summary?.before);
  const { messages: shown } = project(history, { ...view, summary: undefined }, window);
  let tokens = 0;
  for (let index = history.length - 1; index >= 0; index--) {
    const message = shown[index];
    const original = history[index];
    if (!message || !original) continue;
    const current = index === history.length - 1 ? startOfResults(message) : message.parts.length;
    for (let at = current - 1; at >= 0; at--) {
      const part = message.parts[at];
      if (isBefore(index, at, last) || isBefore(index, at, summarized)) return undefined;
      if (part?.type !== "tool_result") continue;
      tokens += tokensOfPart(part);
      const candidate = original.parts[at];
      if (tokens > kept && candidate && isPrunable(candidate)) return { messageId: message.id, part: at + 1 };
    }
  }
  return undefined;
}

/** The results of the current step start here: the model has not read them yet. */
function startOfResults({ parts }: Message): number {
  return parts.findLastIndex(({ type }) => type !== "tool_result") + 1;
}

/** Which part of a conversation a summary replaces. */
export interface Cut {
  before: Place;
  /** The oldest message that is still sent. */
  from: string;
}

/**
 * Returns where to cut so that about `room` tokens stay word for word: before a turn, or between two steps of the turn that
 * is running. Undefined if nothing is old enough.
 */
export function placeToCut(
  history: readonly Message[],
  view: ContextView,
  window: number,
  room: number,
): Cut | undefined {
  const { messages: shown } = project(history, { ...view, summary: undefined }, window);
  const asked = history.findLastIndex(({ role }) => role === "user");
  const from = history[asked];
  if (!from) return undefined;
  const start = locate(history, view.summary?.before) ?? { index: 0, part: 0 };
  const isOld = (index: number, part: number) =>
    index > start.index || (index === start.index && part > start.part);
  let left = room;
  for (let index = shown.length - 1; index >= asked; index--) left -= tokensOfMessage(shown[index] ?? from);
  if (left < 0) {
    const inside = stepToCut(shown, asked, room);
    if (inside && isOld(inside.index, inside.part)) {
      const { id } = history[inside.index] ?? from;
      return { before: { messageId: id, part: inside.part }, from: from.id };
    }
  }
  let first = asked;
  for (let index = asked - 1; index >= start.index; index--) {
    const message = shown[index];
    if (!message) break;
    left -= tokensOfMessage(message);
    if (left < 0) break;
    if (message.role === "user") first = index;
  }
  const turn = history[first];
  return turn && isOld(first, 0) ? { before: { messageId: turn.id, part: 0 }, from: turn.id } : undefined;
}

/** Returns the earliest step of the running answer from which on everything fits, at the latest the last one. */
function stepToCut(shown: readonly Message[], asked: number, room: number): Position | undefined {
  const index = shown.length - 1;
  const answer = shown[index];
  if (answer?.role !== "assistant" || index === asked) return undefined;
  let left = room - tokensOfMessage(shown[asked] ?? answer);
  let found: number | undefined;
  for (let at = answer.parts.length - 1; at > 0; at--) {
    const part = answer.parts[at];
    if (part) left -= tokensOfPart(part);
    if (left < 0 && found !== undefined) break;
    const startsStep = part?.type !== "tool_result" && answer.parts[at - 1]?.type === "tool_result";
    if (startsStep) found = at;
  }
  return found === undefined ? undefined : { index, part: found };
}

/** Returns the id of the newest stored message that a view refers to: it applies to every branch that contains it. */
export function newestCovered(
  history: readonly (Message & { createdAt?: string })[],
  view: ContextView,
): string {
  const places = [view.summary?.before, view.pruned, view.shortened?.before];
  const newest = Math.max(0, ...places.map((place) => locate(history, place)?.index ?? 0));
  // What a client sent as the beginning of a session is not stored message by message. The running answer will be.
  const stored = history.findIndex(
    ({ createdAt }, index) => index >= newest && (createdAt !== undefined || index === history.length - 1),
  );
  return history[stored]?.id ?? "";
}
