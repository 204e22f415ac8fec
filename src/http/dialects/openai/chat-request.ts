import { isObject } from "../../../protocol/json.ts";
import { readMessages } from "./chat-messages.ts";
import type { ClientMessage } from "./client-messages.ts";
import { refused, unsupported } from "./errors.ts";
import {
  type Body,
  otherFields,
  readChoice,
  readFlag,
  readList,
  readNumber,
  readObject,
  readText,
  sharedFields,
} from "./fields.ts";
import { askedInResponses, logprobFields } from "./logprobs.ts";
import { fromFunctions } from "./old-functions.ts";
import { readInput } from "./response-input.ts";
import {
  CHAT,
  effortIn,
  OLLAMA,
  RESPONSES,
  readChatSettings,
  readEffort,
  readVerbosity,
  vendorSettings,
} from "./settings.ts";
import { notForced, readToolChoice } from "./tool-choice.ts";
import { readTools } from "./tools.ts";

/** A request for a chat completion, read and checked. */
export type ChatCompletionRequest = ReturnType<typeof readChatCompletionRequest>;

/** Fields that are read here, or that are about this server and no vendor. Vendors may know what to do with any other. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"],
  ...["temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "random_seed", "n"],
  ...["frequency_penalty", "presence_penalty", "response_format", "metadata", "store"],
  ...["reasoning_effort", "verbosity", "modalities", "audio"],
  ...["functions", "function_call"],
  // The breakpoints in the messages do not reach the vendor, and without them it would keep nothing.
  "prompt_cache_options",
  // Fields of Responses, which Cursor sends here.
  ...["input", "instructions", "max_output_tokens", "text", "include", "truncation", "previous_response_id"],
  // Our own.
  ...["conversation_id", "provider_id", "system_prompt", "client_request_id", "on_disconnect"],
]);

/** Reads the body of `POST /v1/chat/completions`; `named` are server tools. Throws the errors that OpenAI returns. */
export function readChatCompletionRequest(given: unknown, named?: string) {
  if (!isObject(given)) throw refused("The body must be a JSON object.", null);
  const translated = fromFunctions(given);
  const body = translated ?? given;
  checkUnsupported(body);
  const { offered, toolChoice, forced } = readToolChoice(
    body.tool_choice,
    readTools(readList(body, "tools"), false, named),
  );
  if (forced) throw notForced(String(forced.type));
  const fields = otherFields(body, KNOWN);
  const stream = readFlag(body, "stream") ?? false;
  const streamOptions = readObject(body, "stream_options");
  if (streamOptions && !stream) {
    throw refused(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    );
  }
  return {
    /** True if the client speaks of functions, which came before tools. */
    usesFunctions: translated !== undefined,
    clientMessages: readConversation(body),
    model: readText(body, "model"),
    providerId: readText(body, "provider_id"),
    offered,
    toolChoice,
    settings: {
      ...readChatSettings(body),
      showsSources: true,
      ...vendorSettings(
        {
          [CHAT]: fields,
          [RESPONSES]: { ...sharedFields(fields), ...askedInResponses(fields) },
          [OLLAMA]: logprobFields(fields),
        },
        { [CHAT]: offered.vendors },
      ),
    },
    reasoningEffort: readEffort(body, "reasoning_effort") ?? effortIn(body),
    verbosity: readVerbosity(body),
    systemPrompt: readText(body, "system_prompt"),
    conversationId: readText(body, "conversation_id"),
    clientRequestId: readText(body, "client_request_id"),
    onDisconnect: readChoice(body, "on_disconnect", ["continue", "cancel"]) ?? "cancel",
    stream,
    includeUsage:
      (streamOptions && readFlag(streamOptions, "include_usage", "stream_options.include_usage")) ??
      // OpenRouter's clients ask for it in its own field.
      (isObject(body.usage) && body.usage.include === true),
  };
}

/** Reads the messages. Cursor sends the items of Responses in their place, and expects a chat completion. */
function readConversation(body: Body): ClientMessage[] {
  if (body.messages !== undefined || body.input === undefined) return readMessages(body);
  const instructions = readText(body, "instructions");
  const system: ClientMessage[] = instructions ? [{ role: "system", text: instructions, at: 0 }] : [];
  return [...system, ...readInput(body.input)];
}

/** Refuses what we do not support, instead of silently ignoring it. */
function checkUnsupported(body: Body): void {
  if (![1, undefined].includes(readNumber(body, "n", { whole: true })))
    throw unsupported("n", "Each request gets one answer. Send it again for another one.");
  const modalities = readList(body, "modalities");
  // Who would also take an image is content with a text. Who waits to hear something is not.
  if (modalities?.includes("audio") || modalities?.includes("text") === false)
    throw unsupported("modalities", "Answers are text.");
  if (body.audio) throw unsupported("audio", "Answers are text.");
}
