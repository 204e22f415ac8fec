import { createHash } from "node:crypto";
import { isObject } from "../../protocol/json.ts";
import type { Turn } from "../turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../turns.ts";
import { type RecordedRequest, startUpstream } from "../upstream.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { embeddingTurn } from "./embedding.ts";
import { drawPicture } from "./picture.ts";
import { type DemoReply, replyTo } from "./reply.ts";

export interface DemoModel {
  /** The address without a path. The dialect's paths begin with `/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

const MODEL = { id: "demo", object: "model", created: 1_700_000_000, owned_by: "tackle" };

/** Starts the offline demo model, which speaks Chat Completions. With 0 tokens per second it does not wait. */
export async function startDemoModel(options: { tokensPerSecond?: number } = {}): Promise<DemoModel> {
  const { tokensPerSecond = 60 } = options;
  const { url, close } = await startUpstream({
    record: false,
    respond: (request) => answer(request, tokensPerSecond > 0 ? 1000 / tokensPerSecond : 0),
  });
  return { url, close };
}

function answer(request: RecordedRequest, gapMs: number): Turn {
  const path = request.path.replace(/\?.*$/, "").replace(/\/$/, "");
  if (request.method === "GET" && path === "/v1/models") return jsonTurn({ object: "list", data: [MODEL] });
  if (request.method === "GET" && path === "/v1/models/demo") return jsonTurn(MODEL);
  if (request.method === "POST" && path === "/v1/embeddings") return embeddingTurn(request.body);
  if (request.method !== "POST" || path !== "/v1/chat/completions") {
    return errorTurn(404, {
      message: `There is no ${request.method} ${path} here.`,
      type: "invalid_request_error",
    });
  }
  const { body, said } = withoutBreak(request.body);
  const conversation = readConversation(body);
  if (!conversation) {
    return errorTurn(400, { message: "The body needs a list of messages.", type: "invalid_request_error" });
  }
  const reply = replyTo(conversation);
  const rest = { ...reply, ...(reply.text?.startsWith(said) && { text: reply.text.slice(said.length) }) };
  return turnFor(rest, conversation, isObject(request.body) ? request.body : {}, gapMs);
}

/** Returns what was asked before the connection broke, and what the model had said by then. */
function withoutBreak(body: unknown): { body: unknown; said: string } {
  const messages: unknown = isObject(body) ? body.messages : undefined;
  if (!isObject(body) || !Array.isArray(messages)) return { body, said: "" };
  const [half, asked] = messages
    .slice(-2)
    .map((message: unknown) => (isObject(message) ? message.content : ""));
  if (typeof half !== "string" || !String(asked).includes("<last_words>")) return { body, said: "" };
  return { body: { ...body, messages: messages.slice(0, -2) }, said: half };
}

function turnFor(
  reply: DemoReply,
  conversation: Conversation,
  body: Record<string, unknown>,
  gapMs: number,
): Turn {
  const { reasoning, text } = reply;
  const streams = body.stream === true;
  const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const spoken = JSON.stringify(body.messages, withoutBytes);
  const calls = reply.calls.map((call, index) => ({
    id: `call_${fingerprint(`${spoken}${index}`)}`,
    name: call.name,
    arguments: call.arguments,
  }));
  const reasoningTokens = tokensIn(reasoning ?? "");
  return chatTurn({
    model: "demo",
    reasoning,
    text,
    calls,
    ...(reply.picture === undefined ? {} : { images: [dataUrl(drawPicture(reply.picture))] }),
    chunkSize: "word",
    gapMs,
    whole: !streams,
    includeUsage: !streams || wantsUsage,
    usage: {
      inputTokens: tokensIn(spoken) + tokensIn(JSON.stringify(conversation.tools)),
      outputTokens: reasoningTokens + tokensIn(text ?? "") + tokensIn(JSON.stringify(reply.calls)),
      reasoningTokens,
    },
  });
}

/** Leaves out images, which may be large. */
function withoutBytes(name: string, value: unknown): unknown {
  return name === "image_url" ? undefined : value;
}

function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString("base64")}`;
}

/** Returns an id that is unique to this state of a conversation, even after a restart. */
function fingerprint(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}

/** Estimates four characters per token. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
