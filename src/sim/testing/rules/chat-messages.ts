import { isObject } from "../../../protocol/json.ts";
import type { ChatRules } from "./chat-vendors.ts";
import { checkPicture, readDataUrl } from "./pictures.ts";
import { asObject, objectsIn, type Report } from "./problem.ts";

type Message = Record<string, unknown>;

const ROLES = ["system", "developer", "user", "assistant", "tool"];

/** Checks the messages of a Chat Completions request. */
export function checkChatMessages(
  vendor: string,
  model: string,
  body: Message,
  rules: ChatRules,
  report: Report,
): void {
  const messages = objectsIn(body.messages).map(({ item }) => item);
  if (messages.length === 0) {
    report(
      "required",
      "messages",
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { code: "empty_array" },
    );
    return;
  }
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (!ROLES.includes(String(message.role)))
      report(
        "role",
        `${at}.role`,
        `Invalid value: '${String(message.role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        { code: "invalid_value" },
      );
    checkFields(message, at, index, rules, report);
    checkContent(message, at, rules, report);
    for (const { item: call, index: number } of objectsIn(message.tool_calls))
      checkCall(call, `${at}.tool_calls[${number}]`, rules, report);
    const order = `${String(messages[index - 1]?.role)}>${String(message.role)}`;
    if (rules.refusedOrders?.includes(order))
      report(
        "role-order",
        at,
        `Unexpected role '${String(message.role)}' after role '${String(messages[index - 1]?.role)}'`,
        { code: "3230" },
      );
  }
  checkPairs(messages, report);
  const last = messages.at(-1);
  if (last?.role === "assistant" && rules.prefill !== true && last.prefix !== true)
    report(
      "prefill",
      "messages",
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      { code: "3230" },
    );
  if (last?.role === "assistant" && Array.isArray(last.tool_calls) && last.tool_calls.length > 0)
    report("call-without-result", "messages", "The conversation ends with calls that have no results.");
  if (vendor === "deepseek") {
    checkReplayedReasoning(body, messages, report);
    if (!/flash/.test(model)) noImages(messages, model, report);
  }
  // Vision models have a v behind the version, and since 5.3 the flash models see as well.
  if (vendor === "zai" && !/^glm-[\d.]+v|^glm-(?:5\.[3-9]|[6-9]).*flash/.test(model))
    noImages(messages, model, report);
}

function checkFields(message: Message, at: string, index: number, rules: ChatRules, report: Report): void {
  const known = rules.messageFields?.[String(message.role)];
  if (!known) return;
  for (const key of Object.keys(message)) {
    if (known.includes(key)) continue;
    const { message: words, ...more } = rules.unknownField?.(`messages.${index}.${key}`) ?? {
      message: "Unknown field",
    };
    report("unknown-field", `${at}.${key}`, words, more);
  }
}

function checkContent(message: Message, at: string, rules: ChatRules, report: Report): void {
  const { role, content } = message;
  const calls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  if (Array.isArray(message.tool_calls) && message.tool_calls.length === 0)
    report(
      "empty-calls",
      `${at}.tool_calls`,
      `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { code: "empty_array" },
    );
  if (content === null || content === undefined) {
    if (role !== "assistant" || !calls)
      report("empty-message", `${at}.content`, `Invalid value for 'content': expected a string, got null.`);
    return;
  }
  const parts = Array.isArray(content) ? objectsIn(content).map(({ item }) => item) : [];
  if (Array.isArray(content) && parts.length === 0)
    report(
      "empty-message",
      `${at}.content`,
      `Invalid '${at}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { code: "empty_array" },
    );
  const text =
    typeof content === "string"
      ? content
      : parts.map((part) => (part.type === "text" ? part.text : "x")).join("");
  if (text.trim() === "" && !calls && role !== "tool") {
    if (rules.refusesBlank) report("blank-text", at, "Each message must have at least one content element.");
    else report("blank-text", at, `${at}.content is blank`, { misread: true });
  }
  for (const [index, part] of parts.entries()) {
    const place = `${at}.content[${index}]`;
    const allowed =
      role === "user"
        ? ["text", "image_url", "input_audio", "file", "video_url"]
        : ["text", "refusal", "thinking"];
    if (!allowed.includes(String(part.type)))
      report(
        "block-type",
        place,
        `Invalid content type. image_url is only supported by certain models and roles.`,
        { code: "invalid_value" },
      );
    if (part.type === "text" && (typeof part.text !== "string" || part.text === ""))
      report("blank-text", place, `${place}.text is blank`, rules.refusesBlank ? {} : { misread: true });
    if (part.type === "image_url")
      checkImage(asObject(part.image_url).url, `${place}.image_url`, rules, report);
  }
}

function checkImage(url: unknown, at: string, rules: ChatRules, report: Report): void {
  if (rules.images?.length === 0) {
    report(
      "image-unsupported",
      at,
      "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`",
    );
    return;
  }
  const image = readDataUrl(String(url));
  if (!image) {
    if (!rules.remoteImages || !/^https?:\/\//.test(String(url)))
      report("image-url", at, "invalid image input");
    return;
  }
  const fault = checkPicture(image.mimeType, image.data, rules.images ?? [], rules.imageBytes);
  if (fault?.kind === "base64")
    report("image-base64", at, "Invalid base64 image_url.", { code: "invalid_base64" });
  if (fault?.kind === "type")
    report(
      "image-type",
      at,
      `You uploaded an unsupported image (${fault.mimeType}). Please make sure your image is valid.`,
      { code: "invalid_image_format" },
    );
  if (fault?.kind === "size")
    report("image-size", at, `The image is too large: ${fault.bytes} bytes.`, { code: "image_too_large" });
  if (fault?.kind === "mismatch" && !rules.images?.includes(fault.really))
    report("image-mismatch", at, "You uploaded an unsupported image. Please make sure your image is valid.", {
      code: "invalid_image_format",
    });
}

function checkCall(call: Message, at: string, rules: ChatRules, report: Report): void {
  const { name, arguments: text } = asObject(call.function);
  if (call.type !== "function")
    report("call-type", at, `Missing required parameter: '${at}.type'.`, {
      code: "missing_required_parameter",
    });
  if (typeof call.id !== "string" || call.id === "")
    report("call-id", `${at}.id`, `Missing required parameter: '${at}.id'.`, {
      code: "missing_required_parameter",
    });
  else if (rules.callId && !rules.callId.test(call.id))
    report("call-id", `${at}.id`, `Invalid '${at}.id': ${rules.callIdMessage?.(call.id) ?? "invalid"}`, {
      code: "string_above_max_length",
    });
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    report(
      "call-name",
      `${at}.function.name`,
      `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { code: "invalid_value" },
    );
  if (typeof text !== "string")
    report("call-arguments", at, `Invalid type for '${at}.function.arguments': expected a string.`, {
      code: "invalid_type",
    });
  else if (!isJsonObject(text))
    report(
      "call-arguments",
      at,
      `Failed to parse tool call arguments as JSON: ${text.slice(0, 40)}`,
      rules.parsesArguments ? {} : { misread: true },
    );
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false; // That is the answer.
  }
}

function checkPairs(messages: readonly Message[], report: Report): void {
  let open: string[] = [];
  const used = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id))
        report(
          used.has(id) ? "result-twice" : "result-without-call",
          `messages.[${index}].role`,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      open = open.filter((one) => one !== id);
      continue;
    }
    missing(open, index, report);
    open = objectsIn(message.tool_calls).map(({ item }) => String(item.id));
    for (const id of open) {
      if (used.has(id))
        report(
          "call-id",
          `messages[${index}]`,
          `Duplicate value for 'tool_call_id' of '${id}' in messages.`,
          { misread: true },
        );
      used.add(id);
    }
    if (new Set(open).size < open.length)
      report("call-id", `messages[${index}]`, `Duplicate value for 'tool_call_id' in message[${index}].`);
  }
  missing(open, messages.length, report);
}

function missing(open: readonly string[], index: number, report: Report): void {
  if (open.length === 0) return;
  report(
    "call-without-result",
    `messages.[${index}].role`,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
  );
}

/** A model that thinks wants the thoughts of this turn's calls back. */
function checkReplayedReasoning(body: Message, messages: readonly Message[], report: Report): void {
  if (asObject(body.thinking).type === "disabled") return;
  for (const [index, message] of messages.entries())
    if (
      message.role === "assistant" &&
      Array.isArray(message.tool_calls) &&
      message.reasoning_content === undefined
    )
      report(
        "reasoning-missing",
        `messages[${index}]`,
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
      );
}

function noImages(messages: readonly Message[], model: string, report: Report): void {
  if (messages.some(({ content }) => objectsIn(content).some(({ item }) => item.type === "image_url")))
    report("image-unsupported", "messages", `${model} does not take images`, { code: "1210" });
}
