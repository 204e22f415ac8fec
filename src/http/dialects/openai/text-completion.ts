import type { ChatEvent, EventOf } from "../../../protocol/events.ts";
import { isObject } from "../../../protocol/json.ts";
import type { Usage } from "../../../protocol/model.ts";
import type { RunState } from "../../../protocol/reduce.ts";
import { ignoreUnknown, isDetail } from "../../../protocol/unknown.ts";
import { completionUsage, conversationOf, finishOf } from "./completion.ts";
import { openAiError, refused, runFailure, unsupported } from "./errors.ts";
import { missing, otherFields, readFlag, readNumber, readObject, readText, wrongType } from "./fields.ts";
import { textCompletionId } from "./ids.ts";
import { CHAT, readChatSettings, vendorSettings } from "./settings.ts";

const MOST_PROMPTS = 16;

/** Fields that are read here. Vendors may know what to do with any other. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["model", "prompt", "suffix", "stream", "stream_options", "echo", "n", "best_of", "logprobs"],
  ...[
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "seed",
    "random_seed",
    "metadata",
  ],
  ...["frequency_penalty", "presence_penalty", "provider_id", "client_request_id", "response_format"],
]);

/** A request to complete texts, read and checked. */
export type TextCompletionRequest = ReturnType<typeof readTextCompletionRequest>;

/** Reads the body of `POST /v1/completions`. Throws the errors that OpenAI returns. */
export function readTextCompletionRequest(body: unknown) {
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  for (const name of ["n", "best_of"])
    if ((body[name] ?? 1) !== 1) throw unsupported(name, "Each prompt gets one answer.");
  const stream = readFlag(body, "stream") ?? false;
  const prompts = readPrompts(body.prompt);
  if (stream && prompts.length > 1) throw unsupported("prompt", "A stream has one prompt.");
  readNumber(body, "logprobs", { least: 0, most: 5, whole: true });
  const streamOptions = readObject(body, "stream_options");
  return {
    prompts,
    suffix: readText(body, "suffix"),
    model: readText(body, "model"),
    providerId: readText(body, "provider_id"),
    clientRequestId: readText(body, "client_request_id"),
    settings: {
      ...readChatSettings(body),
      ...vendorSettings({ [CHAT]: otherFields(body, KNOWN) }, {}),
    },
    echo: readFlag(body, "echo") ?? false,
    stream,
    includeUsage: streamOptions?.include_usage === true,
  };
}

function readPrompts(prompt: unknown): string[] {
  if (prompt === undefined || prompt === null) throw missing("prompt");
  const list: unknown[] = Array.isArray(prompt) ? prompt : [prompt];
  if (list.some((one) => typeof one === "number" || Array.isArray(one)))
    throw unsupported("prompt", "Send text instead of tokens.");
  if (list.length === 0 || list.length > MOST_PROMPTS)
    throw refused(`Invalid 'prompt': send 1 to ${MOST_PROMPTS} texts.`, "prompt");
  return list.map((one) => {
    if (typeof one === "string") return one;
    throw wrongType("prompt", "a string or an array of strings", one);
  });
}

interface TextOptions {
  created: number;
  includeUsage: boolean;
  /** What the text begins with: the prompt, if the client wants it back. */
  before: string;
}

/** Encodes a run as the chunks of a streamed text. Takes each event once, in order. */
export class TextChunks {
  readonly #options: TextOptions;
  #facts: Record<string, unknown> = {};
  #usage: Usage | undefined;

  constructor(options: TextOptions) {
    this.#options = options;
  }

  take(event: ChatEvent): object[] {
    switch (event.type) {
      case "warning":
      case "reasoning_delta":
      case "reasoning_complete":
      case "tool_call_start":
      case "tool_result":
      case "tool_approval_required":
        return [];
      case "session":
        return this.#begin(event);
      case "content_delta":
        return [this.#chunk(event.choices[0].delta.content)];
      case "usage":
        this.#usage = event;
        return [];
      case "error":
        return [{ error: openAiError(runFailure(event), "prompt") }];
      case "done":
        return event.finishReason === "error" ? [] : this.#end(event);
      default:
        return isDetail(event) ? [] : ignoreUnknown(event, []);
    }
  }

  #begin({ runId, model }: EventOf<"session">): object[] {
    const { created, before } = this.#options;
    this.#facts = { id: textCompletionId(runId), object: "text_completion", created, model };
    return before === "" ? [] : [this.#chunk(before)];
  }

  #chunk(text: string, finish: object = { finish_reason: null }): object {
    return { ...this.#facts, choices: [{ text, index: 0, logprobs: null, ...finish }] };
  }

  #end({ finishReason }: EventOf<"done">): object[] {
    const last = this.#chunk("", finishOf(finishReason));
    if (!this.#options.includeUsage) return [last];
    return [last, { ...this.#facts, choices: [], usage: completionUsage(this.#usage) }];
  }
}

/** Returns whole texts as one completion. `before` is what each of them begins with. */
export function textCompletion(runs: readonly RunState[], before: readonly string[], created: number) {
  const [first] = runs;
  const total: Usage = { inputTokens: 0, outputTokens: 0 };
  const choices = runs.map(({ text, finishReason = "error", usage }, index) => {
    total.inputTokens += usage?.inputTokens ?? 0;
    total.outputTokens += usage?.outputTokens ?? 0;
    return { text: (before[index] ?? "") + text, index, logprobs: null, ...finishOf(finishReason) };
  });
  return {
    id: textCompletionId(first?.runId ?? ""),
    object: "text_completion",
    created,
    model: first?.model ?? "",
    choices,
    usage: completionUsage(total),
    ...(first && { conversation: conversationOf(first) }),
  };
}
