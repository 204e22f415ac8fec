import type { ContextView, Place } from "../protocol/context.ts";
import { Remembered } from "../protocol/growing.ts";
import { countOlder, factsOf, type Message, type Part, textMessage } from "../protocol/messages.ts";
import { resultTokens, tokensAround, tokensOfImages, tokensOfMessage, tokensOfPart } from "./estimate.ts";
import { isPrunable, prunedResult, shortenedResult, tokensOfPruned } from "./shown-results.ts";

// Decides what a request sends of a conversation. Pure: the same messages, view and window give the same bytes.

/** A result was shortened for the window of its model when it arrived. It is cut again only if that window was so much larger. */
const LARGER = 1.5;
/** Only so many of the newest images are sent. */
const SENT_IMAGES = 8;

/** What a request sends of a conversation. */
export interface Projection {
  messages: Message[];
  /** How many tokens that takes, by estimate. */
  tokens: number;
}

/** Returns what a request sends: the summary, then the messages after it, with their results pruned and shortened. */
export function project(history: readonly Message[], view: ContextView, window: number): Projection {
  // Only results are pruned and shortened.
  if (!view.summary && !factsOf(history).calls) return whole(history);
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
  for (const [index, message] of history.entries()) {
    if (applies && index < from) {
      if (message.role === "system") send(sent, message);
      continue;
    }
    if (applies && index === from) send(sent, textMessage(`summary_${summary.from}`, "user", summary.text));
    const skipped = applies && index === before.index ? before.part : 0;
    // Only an answer is cut between its parts.
    if (message.role === "assistant") sendAnswer(sent, message, index, skipped, rules);
    else send(sent, message);
  }
  // Older images are only mentioned.
  sent.tokens -= tokensOfImages(Math.max(0, countImages(sent.messages) - SENT_IMAGES));
  return sent;
}

const weighed = new Remembered<Message, { tokens: number; images: number }>(() => ({ tokens: 0, images: 0 }));

/** Returns a conversation of which everything is sent. Only what was added since the last time is weighed. */
function whole(history: readonly Message[]): Projection {
  const older = countOlder(history);
  const sum = { ...weighed.of(history, older, weigh) };
  weigh(sum, history.slice(older));
  const unsent = tokensOfImages(Math.max(0, sum.images - SENT_IMAGES));
  return { messages: [...history], tokens: sum.tokens - unsent };
}

function weigh(sum: { tokens: number; images: number }, messages: readonly Message[]): void {
  for (const message of messages) sum.tokens += tokensOfMessage(message);
  sum.images += countImages(messages);
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
  for (const [at, part] of message.parts.entries()) {
    if (at < from) continue;
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

/** How much of the window stays word for word when older turns are summarized, at most and at least. */
const KEPT_SHARE = 0.25;
const LEAST_KEPT_SHARE = 0.05;
/** What a summary usually takes. */
const SUMMARY_SHARE = 0.1;

/**
 * Returns how many of the newest tokens stay word for word beside a summary: fewer if instructions and tools take much of the
 * window. Otherwise there would be so little room left that every turn needs the next summary.
 */
export function tokensKept(window: number, overhead: number): number {
  const room = thresholdsOf(window).target - overhead - window * SUMMARY_SHARE;
  return Math.min(window * KEPT_SHARE, Math.max(window * LEAST_KEPT_SHARE, room));
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
  for (const [index, { id, parts }] of newestFirst(shown)) {
    const read = index === shown.length - 1 ? parts.slice(0, startOfResults(parts)) : parts;
    for (const [at, part] of newestFirst(read)) {
      if (isBefore(index, at, last) || isBefore(index, at, summarized)) return undefined;
      if (part.type !== "tool_result") continue;
      tokens += tokensOfPart(part);
      const original = history[index]?.parts[at];
      if (tokens > kept && original && isPrunable(original)) return { messageId: id, part: at + 1 };
    }
  }
  return undefined;
}

/** The results of the current step start here: the model has not read them yet. */
function startOfResults(parts: readonly Part[]): number {
  return parts.findLastIndex(({ type }) => type !== "tool_result") + 1;
}

function newestFirst<Item>(items: readonly Item[]): [number, Item][] {
  return [...items.entries()].reverse();
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
  for (const message of shown.slice(asked)) left -= tokensOfMessage(message);
  const answer = shown.at(-1);
  if (left < 0 && answer?.role === "assistant") {
    const part = stepToCut(answer.parts, room - tokensOfMessage(from));
    if (part !== undefined && isOld(shown.length - 1, part))
      return { before: { messageId: answer.id, part }, from: from.id };
  }
  let first = { index: asked, id: from.id };
  for (const [index, message] of newestFirst(shown.slice(0, asked))) {
    left -= tokensOfMessage(message);
    if (left < 0 || index < start.index) break;
    if (message.role === "user") first = { index, id: message.id };
  }
  return isOld(first.index, 0) ? { before: { messageId: first.id, part: 0 }, from: first.id } : undefined;
}

/** Returns where the earliest step of an answer begins from which on everything fits, at the latest the last step. */
function stepToCut(parts: readonly Part[], room: number): number | undefined {
  let left = room;
  let found: number | undefined;
  for (const [at, part] of newestFirst(parts)) {
    left -= tokensOfPart(part);
    if (left < 0 && found !== undefined) break;
    if (part.type !== "tool_result" && parts[at - 1]?.type === "tool_result") found = at;
  }
  return found;
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
