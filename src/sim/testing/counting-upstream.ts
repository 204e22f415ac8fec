import { isObject } from "../../protocol/json.ts";
import type { Turn } from "../turn.ts";
import { type ChatAnswer, chatTurn, errorTurn } from "../turns.ts";
import { type RecordedRequest, startUpstream, type Upstream } from "../upstream.ts";

export interface WireMessage {
  role: string;
  content: string;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

/** One request, as a vendor reads it. */
export interface CountedRequest {
  messages: WireMessage[];
  /** All messages as they were sent. */
  texts: string[];
  tokens: number;
  /** It asks for a summary. */
  isSummary: boolean;
  /** The tools as they were sent; empty if there are none. */
  tools: string;
}

export interface CountingOptions {
  window: number;
  /** False: the list of models does not say how large the window is. */
  announced?: boolean;
  /** How many requests are kept to look at. All by default. */
  keep?: number;
  answer(request: CountedRequest): Omit<ChatAnswer, "usage">;
  /** The vendor's error for a request with too many tokens. */
  refuse?(tokens: number, window: number): Turn;
}

export interface CountingUpstream {
  /** The base URL of its Chat Completions. */
  readonly url: string;
  readonly requests: CountedRequest[];
  /** The last request that was answered and asked for no summary. */
  last(): CountedRequest | undefined;
  /** The requests that were refused as too long. */
  readonly refused: CountedRequest[];
  /** Calls without a result, and results without a call, over all requests. */
  orphans(): number;
  close: Upstream["close"];
}

/** Starts a vendor that counts tokens in its own way and refuses what exceeds its window. */
export async function startCountingUpstream(options: CountingOptions): Promise<CountingUpstream> {
  const { window } = options;
  const requests: CountedRequest[] = [];
  const refused: CountedRequest[] = [];
  let orphans = 0;
  let last: CountedRequest | undefined;
  const respond = (request: RecordedRequest): Turn => {
    const counted = readRequest(request);
    orphans += countOrphans(counted.messages);
    if (counted.tokens > window) {
      refused.push(counted);
      return (options.refuse ?? tooLong)(counted.tokens, window);
    }
    if (!counted.isSummary) last = counted;
    requests.push(counted);
    if (requests.length > (options.keep ?? Infinity)) requests.shift();
    const answer = options.answer(counted);
    const output = countTokens(answer.text ?? "") + countTokens(JSON.stringify(answer.calls ?? []));
    return chatTurn({ ...answer, usage: { inputTokens: counted.tokens, outputTokens: output } });
  };
  const size = options.announced === false ? {} : { context_length: window };
  const models = () => ({ object: "list", data: [{ id: "m", object: "model", ...size }] });
  const { url, close } = await startUpstream({ respond, models, record: false });
  return { url: `${url}/v1`, requests, refused, last: () => last, orphans: () => orphans, close };
}

/** The error of vLLM and OpenAI. */
function tooLong(tokens: number, window: number): Turn {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return errorTurn(400, { message, type: "invalid_request_error", code: "context_length_exceeded" });
}

function readRequest({ body }: RecordedRequest): CountedRequest {
  const { messages = [], tools } = (isObject(body) ? body : {}) as {
    messages?: WireMessage[];
    tools?: unknown;
  };
  const texts = messages.map((message) => JSON.stringify(message));
  const tokens =
    messages.reduce((sum, message) => sum + 4 + countMessage(message), 0) +
    (tools ? countTokens(JSON.stringify(tools)) : 0);
  const system = messages.find(({ role }) => role === "system")?.content ?? "";
  const asked = [system, messages.at(-1)?.content];
  const isSummary = asked.some((text) => /(^|\n\n)Summarize the earlier part/.test(String(text)));
  return { messages, texts, tokens, isSummary, tools: tools ? JSON.stringify(tools) : "" };
}

function countMessage({ content, tool_calls }: WireMessage): number {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return countTokens(text) + (tool_calls ? countTokens(JSON.stringify(tool_calls)) : 0);
}

function countOrphans(messages: readonly WireMessage[]): number {
  const open = new Set<string>();
  let orphans = 0;
  for (const { role, tool_call_id, tool_calls } of messages) {
    if (role === "tool") {
      if (!open.delete(tool_call_id ?? "")) orphans++;
      continue;
    }
    orphans += open.size;
    open.clear();
    for (const { id } of tool_calls ?? []) open.add(id);
  }
  return orphans + open.size;
}

const PIECES =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]{1,3}|\s+/gu;
const counts = new Map<string, number>();

/** Counts tokens as byte-pair encoders do, roughly: words by length, digits in threes, signs and ideographs on their own. */
export function countTokens(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += costOf(piece);
  if (counts.size > 20_000) counts.clear();
  counts.set(text, tokens);
  return tokens;
}

function costOf(piece: string): number {
  if (piece === " ") return 0;
  if (/^[A-Za-z]+$/.test(piece)) return piece.length <= 7 ? 1 : Math.ceil(piece.length / 4);
  if (/^\p{L}{2,}$/u.test(piece)) return Math.ceil(piece.length / 2);
  return 1;
}
