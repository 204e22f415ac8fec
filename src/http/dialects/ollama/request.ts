import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { ImagePart } from "../../../protocol/messages.ts";
import { type ModelSettings, REASONING_EFFORTS, type ReasoningEffort } from "../../../protocol/model.ts";
import type { ClientCall, ClientMessage } from "../openai/client-messages.ts";
import { refused } from "../openai/errors.ts";
import { type Body, missing, readFlag, readList, readObject, readText, wrongType } from "../openai/fields.ts";
import { askedInResponses, logprobFields } from "../openai/logprobs.ts";
import { CHAT, OLLAMA, RESPONSES, vendorSettings } from "../openai/settings.ts";
import { readTools } from "../openai/tools.ts";

/** What requests for a chat and for a text have in common. */
export type OllamaRequest = ReturnType<typeof readCommon>;

/** Options that every vendor has under some name. */
const COMMON_OPTIONS = new Set([
  ...["temperature", "top_p", "num_predict", "stop", "seed", "frequency_penalty", "presence_penalty"],
  // The operator decides how much memory a conversation may take.
  "num_ctx",
]);
const IMAGE_TYPES: readonly (readonly [string, string])[] = [
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** Reads the body of `POST /api/chat`. */
export function readChatRequest(body: unknown, named?: string) {
  const request = readCommon(body);
  const tools = (readList(request.body, "tools") ?? []).map((tool) =>
    isObject(tool) && isObject(tool.function) ? { ...tool, type: "function" } : tool,
  );
  return {
    ...request,
    offered: readTools(tools, false, named),
    clientMessages: readMessages(readList(request.body, "messages") ?? []),
  };
}

/** Reads the body of `POST /api/generate`. */
export function readGenerateRequest(body: unknown) {
  const request = readCommon(body);
  return {
    ...request,
    prompt: readText(request.body, "prompt") ?? "",
    suffix: readText(request.body, "suffix"),
    system: readText(request.body, "system"),
    raw: readFlag(request.body, "raw") ?? false,
    images: readImages(request.body, "images"),
  };
}

function readCommon(body: unknown) {
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  const { think } = body;
  return {
    body,
    model: readModelName(body),
    stream: readFlag(body, "stream") ?? true,
    settings: readSettings(body),
    reasoningEffort: effortOf(think),
    showsThinking: think !== false,
  };
}

/** Reads the name of a model, which older clients call `name`. */
export function readModelName(body: Body): string {
  const model = readText(body, "model") || readText(body, "name");
  if (!model) throw missing("model");
  return model;
}

/** `true` leaves it to the vendor how much the model thinks. */
function effortOf(think: unknown): ReasoningEffort | undefined {
  return think === false ? "none" : REASONING_EFFORTS.find((effort) => effort === think);
}

function readSettings(body: Body): ModelSettings {
  const options = readObject(body, "options") ?? {};
  const number = (name: string) => (typeof options[name] === "number" ? options[name] : undefined);
  const most = number("num_predict");
  const stop = typeof options.stop === "string" ? [options.stop] : readList(options, "stop", "options.stop");
  const others = Object.entries(options).filter(([name]) => !COMMON_OPTIONS.has(name));
  const { keep_alive } = body;
  const logprobs = logprobFields(body);
  const vendor = {
    ...(others.length > 0 && { options: Object.fromEntries(others) }),
    ...(keep_alive === undefined || keep_alive === null ? {} : { keep_alive }),
    ...logprobs,
  } as JsonObject;
  const settings: ModelSettings = {
    temperature: number("temperature"),
    topP: number("top_p"),
    // Negative numbers mean that there is no limit.
    maxOutputTokens: most !== undefined && most > 0 ? most : undefined,
    stop: stop?.filter((text): text is string => typeof text === "string" && text !== ""),
    seed: number("seed"),
    frequencyPenalty: number("frequency_penalty"),
    presencePenalty: number("presence_penalty"),
    responseFormat: readFormat(body.format),
    ...vendorSettings({ [OLLAMA]: vendor, [CHAT]: logprobs, [RESPONSES]: askedInResponses(logprobs) }, {}),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function readFormat(format: unknown): ModelSettings["responseFormat"] {
  if (isObject(format)) return { type: "json", name: "answer", schema: format };
  if (format === undefined || format === null || format === "") return undefined;
  if (format === "json") return { type: "json" };
  throw wrongType("format", "'json' or a JSON schema", format);
}

/** Calls have no ids here, and results name at most the tool: they belong to the first call of that name without one. */
function readMessages(list: unknown[]): ClientMessage[] {
  const messages: ClientMessage[] = [];
  let open: ClientCall[] = [];
  const settle = (callId: string, output: string, images: ImagePart[], at: number) => {
    open = open.filter(({ id }) => id !== callId);
    messages.push({ role: "tool", callId, output, success: true, at, ...(images.length > 0 && { images }) });
  };
  for (const [at, message] of list.entries()) {
    const where = `messages[${at}]`;
    if (!isObject(message)) throw wrongType(where, "an object", message);
    const role = readText(message, "role", `${where}.role`);
    const text = readText(message, "content", `${where}.content`) ?? "";
    const images = readImages(message, `${where}.images`);
    if (role === "tool" && open.length > 0) {
      const { tool_name: name = message.name, tool_call_id: id } = message;
      const call = open.find((one) => one.id === id) ?? open.find((one) => one.name === name) ?? open[0];
      if (call) settle(call.id, text, images, at);
      continue;
    }
    // Other servers do not mind if results are missing.
    for (const { id } of open) settle(id, "", [], at);
    if (role === "system") messages.push({ role, text, at });
    else if (role === "assistant") {
      open = (readList(message, "tool_calls", `${where}.tool_calls`) ?? []).flatMap((call, index) =>
        readCall(call, `call_${at}_${index}`),
      );
      const reasoning = readText(message, "thinking", `${where}.thinking`);
      messages.push({ role, text, calls: open, at, ...(reasoning ? { reasoning } : {}) });
    } else messages.push({ role: "user", parts: [{ type: "text", text }, ...images], at });
  }
  for (const { id } of open) settle(id, "", [], list.length);
  return messages;
}

function readCall(call: unknown, usualId: string): ClientCall[] {
  if (!isObject(call) || !isObject(call.function)) return [];
  const { name, arguments: args } = call.function;
  if (typeof name !== "string") return [];
  const id = typeof call.id === "string" && call.id !== "" ? call.id : usualId;
  return [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) }];
}

function readImages(message: Body, at: string): ImagePart[] {
  return (readList(message, "images", at) ?? []).map((image, index) => {
    const data = typeof image === "string" ? image.replace(/^data:[^,]*,|\s+/g, "") : "";
    if (data === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
      throw refused(`${at}[${index}] must be an image in base64.`, at);
    const mimeType = IMAGE_TYPES.find(([start]) => data.startsWith(start))?.[1] ?? "image/png";
    return { type: "image", mimeType, data };
  });
}
