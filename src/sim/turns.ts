import type { Usage } from "../protocol/model.ts";
import type { Frame, Turn } from "./turn.ts";

/** A tool call of a scripted model. Arguments given as a string are sent unchanged, even if they are not JSON. */
export interface ScriptedCall {
  id?: string;
  name: string;
  arguments: unknown;
  /** True for a custom tool of the Responses dialect, whose arguments are a text of any form. */
  custom?: boolean;
}

/** A scripted answer, independent of the dialect. */
export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  calls?: ScriptedCall[];
  usage?: Partial<Usage>;
  model?: string;
  /** Characters per delta, or one word each. */
  chunkSize?: number | "word";
  /** Milliseconds between frames. */
  gapMs?: number;
  /** The whole answer as one JSON body instead of a stream. */
  whole?: boolean;
}

export interface ChatAnswer extends ScriptedAnswer {
  /** `tool_calls` if there are calls, otherwise `stop`; null sends none. */
  finishReason?: string | null;
  /** The delta's field for reasoning. */
  reasoningField?: "reasoning_content" | "reasoning";
  /** False leaves usage out of a stream. */
  includeUsage?: boolean;
  /** URLs of images, which may be data URLs, as OpenRouter sends them next to the text. */
  images?: string[];
}

/** Encodes an answer in the Chat Completions dialect. */
export function chatTurn(answer: ChatAnswer): Turn {
  const calls = withIds(answer.calls, "call_");
  const base = { id: nextId("chatcmpl-"), created: 1_700_000_000, model: answer.model ?? "sim" };
  const finish =
    answer.finishReason === undefined ? (calls.length > 0 ? "tool_calls" : "stop") : answer.finishReason;
  const reasoningField = answer.reasoningField ?? "reasoning_content";
  const usage = chatUsage(usageOf(answer));
  const images = answer.images?.map((url) => ({ type: "image_url", image_url: { url } }));
  if (answer.whole) {
    const message = {
      role: "assistant",
      content: answer.text ?? null,
      ...(answer.reasoning === undefined ? {} : { [reasoningField]: answer.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => chatCall(call)) }),
      ...(images ? { images } : {}),
    };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return jsonTurn({ ...base, object: "chat.completion", choices, usage });
  }
  const frames: Frame[] = [];
  const chunk = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
    frames.push({
      json: {
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason }],
        ...rest,
      },
    });
  chunk({ role: "assistant", content: "" });
  for (const piece of pieces(answer.reasoning, answer.chunkSize)) chunk({ [reasoningField]: piece });
  for (const piece of pieces(answer.text, answer.chunkSize)) chunk({ content: piece });
  for (const [index, call] of calls.entries()) {
    chunk({ tool_calls: [{ index, ...chatCall({ ...call, json: "" }) }] });
    for (const piece of pieces(call.json, answer.chunkSize === "word" ? CODE_CHUNK : answer.chunkSize)) {
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  if (images) chunk({ images });
  if (finish !== null) chunk({}, finish);
  if (answer.includeUsage !== false) {
    frames.push({ json: { ...base, object: "chat.completion.chunk", choices: [], usage } });
  }
  frames.push("data: [DONE]\n\n");
  return { frames, gapMs: answer.gapMs };
}

function chatCall(call: IdentifiedCall): object {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.json } };
}

function chatUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}

/** A turn with one JSON body. */
export function jsonTurn(body: unknown, status = 200): Turn {
  return { status, contentType: "application/json", frames: [JSON.stringify(body)] };
}

/** A turn with an error status, and a body in the usual form unless another is given. */
export function errorTurn(
  status: number,
  options: {
    message?: string;
    type?: string;
    code?: string;
    body?: unknown;
    retryAfter?: number | string;
  } = {},
): Turn {
  const { message = `Scripted error ${status}`, type = "sim_error", code, body, retryAfter } = options;
  const turn = jsonTurn(body ?? { error: { message, type, code: code ?? null } }, status);
  return retryAfter === undefined ? turn : { ...turn, headers: { "retry-after": String(retryAfter) } };
}

/** A turn with this many bytes that are no answer, 50 MB by default. */
export function hugeTurn(options: { bytes?: number; contentType?: string } = {}): Turn {
  const size = options.bytes ?? 50_000_000;
  const block = Buffer.alloc(64 * 1024, "x");
  const frames: Frame[] = [];
  for (let left = size; left > 0; left -= block.length)
    frames.push(block.subarray(0, Math.min(left, block.length)));
  return { contentType: options.contentType ?? "text/event-stream", frames };
}

/** A turn with `count` tokens at a fixed pace, for tests and measurements. */
export function pacedChatTurn(options: { count: number; tokensPerSecond: number; token?: string }): Turn {
  const token = options.token ?? "word ";
  const text = token.repeat(options.count);
  return {
    ...chatTurn({ text, chunkSize: token.length, usage: { outputTokens: options.count } }),
    gapMs: options.tokensPerSecond > 0 ? 1000 / options.tokensPerSecond : 0,
  };
}

export interface IdentifiedCall {
  id: string;
  name: string;
  /** The arguments as JSON text. */
  json: string;
  arguments: unknown;
  custom?: boolean;
}

/** Adds ids and the arguments as JSON text to calls. */
export function withIds(calls: readonly ScriptedCall[] | undefined, prefix: string): IdentifiedCall[] {
  return (calls ?? []).map((call) => ({
    ...call,
    id: call.id ?? nextId(prefix),
    json: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {}),
  }));
}

/** Returns the given usage, with missing counts estimated at four characters per token. */
export function usageOf(answer: ScriptedAnswer): Usage {
  const length = (answer.text?.length ?? 0) + (answer.reasoning?.length ?? 0);
  return { inputTokens: 10, outputTokens: Math.max(1, Math.ceil(length / 4)), ...answer.usage };
}

/** Arguments are not shown while they arrive, so they need not come word by word. */
const CODE_CHUNK = 160;

/** Splits text into pieces of `size` whole characters, or of one word each. */
export function pieces(text: string | undefined, size: number | "word" = 12): string[] {
  if (!text) return [];
  if (size === "word") return text.match(/\s*\S{1,40}(?:\s+$)?|\s+$/g) ?? [];
  const characters = Array.from(text);
  const cut: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    cut.push(characters.slice(start, start + size).join(""));
  }
  return cut;
}

let ids = 0;

/** Returns an id that is unique in this process and the same in every run. */
export function nextId(prefix: string): string {
  ids++;
  return `${prefix}${String(ids).padStart(6, "0")}`;
}
