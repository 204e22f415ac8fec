import type { ModelMemory } from "../protocol/context.ts";
import type { Message, Part } from "../protocol/messages.ts";
import type { ToolSpec } from "../protocol/model.ts";

/** Longer attachments are cut, so that they do not push everything else out of the context. */
export const ATTACHED_CHARACTERS = 100_000;

/** What vendors add around each message and each call. */
const MESSAGE_TOKENS = 5;
export const RESULT_TOKENS = 60;
const IMAGE_TOKENS = 1_500;
/** Longer texts are sampled: exact enough, and the cost of deciding does not grow with them. */
const SAMPLED = 4_000;
const SAMPLES = 16;

/** One result takes at most this share of the window, so that a cached prefix lasts for many calls. */
const RESULT_SHARE = 0.02;
const LEAST_RESULT_TOKENS = 2_000;
/** Few texts have more tokens per character. */
const CHARACTERS_PER_TOKEN = 3;

/** Returns how many tokens of one result the model is shown. */
export function resultTokens(window: number): number {
  return Math.max(LEAST_RESULT_TOKENS, Math.floor(window * RESULT_SHARE));
}

/** Returns how many characters a tool should return at once. */
export function resultCharacters(window: number): number {
  return resultTokens(window) * CHARACTERS_PER_TOKEN;
}

/** Tokens per character by script. Vendors' usage reports correct what is wrong for a model. */
const LETTER = 0.25;
const SIGN = 0.45;
const BLANK = 0.05;
const EXTENDED = 0.6;
const IDEOGRAPH = 1.1;
const OTHER = 1.2;
/** Characters in a row without a blank that no word has: encoded data, which vendors split finely. */
const LONGEST_WORD = 40;
const ENCODED = 0.6;

/** Estimates the tokens of a text by its scripts. */
export function tokensIn(text: string): number {
  if (text.length <= SAMPLED) return Math.ceil(weigh(text, 0, text.length));
  const size = Math.floor(SAMPLED / SAMPLES);
  const gap = (text.length - size) / (SAMPLES - 1);
  let weight = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = Math.floor(sample * gap);
    weight += weigh(text, from, from + size);
  }
  return Math.ceil((weight / (size * SAMPLES)) * text.length);
}

/** The weight of each ASCII character, and whether it is part of words or of encoded data. */
const WEIGHTS = new Float64Array(128).fill(SIGN);
const IN_WORD = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code);
  if (/[A-Za-z]/.test(sign)) WEIGHTS[code] = LETTER;
  if (sign === " ") WEIGHTS[code] = BLANK;
  if (/[A-Za-z0-9+/]/.test(sign)) IN_WORD[code] = 1;
}

function weigh(text: string, from: number, to: number): number {
  let weight = 0;
  let word = 0;
  for (let index = from; index < to; index++) {
    const code = text.charCodeAt(index);
    const isAscii = code < 128;
    weight += isAscii ? (WEIGHTS[code] ?? SIGN) : weightOf(code);
    if (isAscii && IN_WORD[code] === 1) {
      word++;
      continue;
    }
    if (word > LONGEST_WORD) weight += encoded(text, index - word, index);
    word = 0;
  }
  return word > LONGEST_WORD ? weight + encoded(text, to - word, to) : weight;
}

/** A word costs what its characters do. Returns what a long one costs beyond that, because it is data. */
function encoded(text: string, from: number, to: number): number {
  let weight = 0;
  for (let index = from; index < to; index++) weight += WEIGHTS[text.charCodeAt(index)] ?? SIGN;
  return (to - from) * ENCODED - weight;
}

function weightOf(code: number): number {
  if (code < 0x0590) return EXTENDED; // Latin with accents, Greek, Cyrillic, Armenian
  if (code >= 0x3000 && code <= 0x9fff) return IDEOGRAPH;
  if (code >= 0xac00 && code <= 0xd7af) return IDEOGRAPH;
  return OTHER;
}

/** Estimating a shorter part again costs less than remembering it. */
const REMEMBERED = 1_000;
const estimates = new WeakMap<Part, number>();

/** Estimates the tokens of one part. Parts never change, so a long one is estimated once. */
export function tokensOfPart(part: Part): number {
  if (charactersIn(part) < REMEMBERED) return estimatePart(part);
  const known = estimates.get(part);
  if (known !== undefined) return known;
  const tokens = estimatePart(part);
  estimates.set(part, tokens);
  return tokens;
}

function charactersIn(part: Part): number {
  if (part.type === "tool_result") return part.output.length;
  if (part.type === "tool_call") return part.arguments.length;
  return part.type === "image" ? 0 : part.text.length;
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case "text":
      return tokensIn(part.text) + Math.ceil(Math.min(part.file?.size ?? 0, ATTACHED_CHARACTERS) * LETTER);
    case "reasoning":
      return tokensIn(part.text);
    case "tool_call":
      return tokensIn(part.arguments) + tokensIn(part.name) + MESSAGE_TOKENS;
    case "tool_result":
      return tokensIn(part.output) + RESULT_TOKENS + (part.images?.length ?? 0) * IMAGE_TOKENS;
    case "image":
      return IMAGE_TOKENS;
  }
}

/** Estimates the tokens of a message. */
export function tokensOfMessage(message: Message): number {
  let tokens = tokensAround(message);
  for (const part of message.parts) tokens += tokensOfPart(part);
  return tokens;
}

/** Estimates what a message takes besides its parts. */
export function tokensAround({ note }: Message): number {
  return MESSAGE_TOKENS + (note === undefined ? 0 : tokensIn(note));
}

/** Estimates the tokens of so many images. */
export function tokensOfImages(images: number): number {
  return images * IMAGE_TOKENS;
}

/** Estimates what every request of a turn takes, whatever the conversation: the system prompt and the tools. */
export function tokensOfOverhead(system: string, tools: readonly ToolSpec[]): number {
  let tokens = tokensIn(system) + MESSAGE_TOKENS;
  for (const tool of tools) tokens += tokensOfTool(tool);
  return tokens;
}

const toolEstimates = new WeakMap<ToolSpec, number>();

/** Estimates the tokens of a tool. Tools never change, so each is estimated once. */
function tokensOfTool(tool: ToolSpec): number {
  const known = toolEstimates.get(tool);
  if (known !== undefined) return known;
  const { name, description, parameters } = tool;
  const texts = [name, description, JSON.stringify(parameters)];
  const tokens = texts.reduce((sum, text) => sum + tokensIn(text), MESSAGE_TOKENS);
  toolEstimates.set(tool, tokens);
  return tokens;
}

/** What models with an unknown context window are taken to have. */
const USUAL_WINDOW = 128_000;
/** Regions and plans of vendors differ and change, so a learned window is not kept for longer. */
const WINDOW_MS = 24 * 60 * 60_000;
const SMALLEST_WINDOW = 1_000;
const WEIGHT = 0.2;
const LARGEST_STEP = 0.15;
const LEAST = 0.5;
const MOST = 2;

/** Keeps what is learned about models, for as long as the process runs. */
export class ModelMemories {
  private readonly known = new Map<string, ModelMemory>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** Returns what is known about a model, at the endpoint that `owner` reaches with their own key. */
  readonly of = (modelId: string, owner = ""): ModelMemory => {
    const key = `${modelId} ${owner}`;
    const memory = this.known.get(key) ?? createMemory(this.now);
    this.known.set(key, memory);
    return memory;
  };
}

function createMemory(now: () => number): ModelMemory {
  let factor = 1;
  let learned: { tokens: number; until: number } | undefined;
  return {
    factor: () => factor,
    noteUsage(estimated, reported) {
      if (estimated <= 0 || reported <= 0) return;
      const step = WEIGHT * (reported / estimated - factor);
      factor += Math.max(-LARGEST_STEP, Math.min(LARGEST_STEP, step));
      factor = Math.max(LEAST, Math.min(MOST, factor));
    },
    window(declared = USUAL_WINDOW) {
      if (learned && learned.until < now()) learned = undefined;
      return Math.min(declared, learned?.tokens ?? declared);
    },
    noteWindow(tokens) {
      learned = { tokens: Math.max(SMALLEST_WINDOW, Math.floor(tokens)), until: now() + WINDOW_MS };
    },
  };
}
