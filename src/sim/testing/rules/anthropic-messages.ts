import type { ClaudeFamily } from "./families.ts";
import { checkPicture } from "./pictures.ts";
import { asObject, objectsIn, type Report } from "./problem.ts";

type Block = Record<string, unknown>;

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const IMAGE_BYTES = 5 * 1024 * 1024;
const MOST_IMAGES = 100;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const BLOCKS: Record<string, readonly string[]> = {
  user: ["text", "image", "tool_result", "document", "search_result"],
  assistant: ["text", "tool_use", "thinking", "redacted_thinking"],
};
const BLOCK_FIELDS: Record<string, readonly string[]> = {
  text: ["type", "text", "cache_control", "citations"],
  image: ["type", "source", "cache_control"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
};

/** Checks the system prompt and the messages of a request to Anthropic. */
export function checkConversation(body: Block, family: ClaudeFamily, report: Report): void {
  for (const { item, index } of objectsIn(body.system)) {
    if (typeof item.text !== "string" || item.text.trim() === "")
      report("blank-text", `system.${index}`, "system: text content blocks must contain non-whitespace text");
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    report("required", "messages", "messages: at least one message is required");
    return;
  }
  const messages = objectsIn(body.messages).map(({ item }) => item);
  if (messages[0]?.role !== "user")
    report("first-role", "messages.0", 'messages: first message must use the "user" role');
  for (const [index, message] of messages.entries())
    checkMessage(message, `messages.${index}`, index === messages.length - 1, report);
  checkPairs(messages, report);
  checkThoughts(body, messages, report);
  const images = messages.flatMap((message) => blocksOf(message)).filter(({ type }) => type === "image");
  if (images.length > MOST_IMAGES)
    report("image-count", "messages", "messages: Too many images: 100 at most");
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  if (!family.prefill)
    report(
      "prefill",
      "messages",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  if (asObject(body.output_config).format !== undefined)
    report(
      "prefill",
      "output_config",
      "Prefilling assistant messages is not supported with structured outputs.",
    );
  const end = blocksOf(last).at(-1);
  if (end?.type === "text" && /\s$/.test(String(end.text)))
    report("prefill", "messages", "messages: final assistant content cannot end with trailing whitespace");
}

function blocksOf(message: Block | undefined): Block[] {
  const content = message?.content;
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : objectsIn(content).map(({ item }) => item);
}

function checkMessage(message: Block, at: string, last: boolean, report: Report): void {
  const allowed = BLOCKS[String(message.role)];
  if (!allowed) {
    report(
      "role",
      at,
      `messages: Unexpected role "${String(message.role)}". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`,
    );
    return;
  }
  for (const key of Object.keys(message))
    if (key !== "role" && key !== "content")
      report("unknown-field", at, `${at}.${key}: Extra inputs are not permitted`);
  const blocks = blocksOf(message);
  if (blocks.length === 0 && !(last && message.role === "assistant"))
    report(
      "empty-message",
      at,
      `${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  for (const [index, block] of blocks.entries()) {
    const place = `${at}.content.${index}`;
    if (!allowed.includes(String(block.type)))
      report(
        "block-type",
        place,
        `${place}: \`${String(block.type)}\` blocks can not be in ${String(message.role)} messages`,
      );
    const fields = BLOCK_FIELDS[String(block.type)];
    for (const key of Object.keys(block))
      if (fields && !fields.includes(key))
        report(
          "unknown-field",
          place,
          `${place}.${String(block.type)}.${key}: Extra inputs are not permitted`,
        );
    checkBlock(block, place, report);
  }
}

function checkBlock(block: Block, at: string, report: Report): void {
  switch (block.type) {
    case "text":
      if (block.text === "") report("blank-text", at, "messages: text content blocks must be non-empty");
      else if (typeof block.text !== "string" || block.text.trim() === "")
        report("blank-text", at, "messages: text content blocks must contain non-whitespace text");
      return;
    case "image": {
      checkImage(asObject(block.source), `${at}.image.source`, report);
      return;
    }
    case "tool_use":
      if (!CALL_ID.test(String(block.id)))
        report("call-id", at, `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (!/^[a-zA-Z0-9_-]{1,200}$/.test(String(block.name)))
        report("call-name", at, `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
      if (block.input === null || typeof block.input !== "object" || Array.isArray(block.input))
        report("call-arguments", at, `${at}.tool_use.input: Input should be a valid dictionary`);
      return;
    case "tool_result":
      for (const { item, index } of objectsIn(block.content))
        checkBlock(item, `${at}.tool_result.content.${index}`, report);
      return;
    case "thinking":
      if (typeof block.signature !== "string" || block.signature === "")
        report("thinking-signature", at, `${at}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function checkImage(source: Block, at: string, report: Report): void {
  if (source.type === "url") {
    if (!/^https:/.test(String(source.url))) report("image-url", at, "Only HTTPS URLs are supported.");
    return;
  }
  const fault = checkPicture(String(source.media_type), String(source.data), IMAGE_TYPES, IMAGE_BYTES);
  if (fault?.kind === "type")
    report(
      "image-type",
      at,
      `${at}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  if (fault?.kind === "base64") report("image-base64", at, `${at}.base64.data: Invalid base64 data`);
  if (fault?.kind === "size")
    report(
      "image-size",
      at,
      `${at}.base64: image exceeds 5 MB maximum: ${fault.bytes} bytes > 5242880 bytes`,
    );
  if (fault?.kind === "mismatch")
    report(
      "image-mismatch",
      at,
      `${at}.base64.data: Image does not match the provided media type ${fault.mimeType}`,
    );
}

function checkPairs(messages: readonly Block[], report: Report): void {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const calls = blocksOf(message)
      .filter(({ type }) => type === "tool_use")
      .map(({ id }) => id);
    for (const id of calls) {
      if (seen.has(id)) report("call-id", `messages.${index}`, "messages: `tool_use` ids must be unique");
      seen.add(id);
    }
    const next = blocksOf(messages[index + 1]);
    const firsts = next.slice(0, next.findIndex(({ type }) => type !== "tool_result") >>> 0);
    const missing = calls.filter((id) => !firsts.some((block) => block.tool_use_id === id));
    if (missing.length > 0)
      report(
        "call-without-result",
        `messages.${index}`,
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const before =
      index === 0
        ? []
        : blocksOf(messages[index - 1])
            .filter(({ type }) => type === "tool_use")
            .map(({ id }) => id);
    const results = blocksOf(message)
      .filter(({ type }) => type === "tool_result")
      .map((block) => block.tool_use_id);
    for (const id of results)
      if (!before.includes(id))
        report(
          "result-without-call",
          `messages.${index}`,
          `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
    if (new Set(results).size < results.length)
      report(
        "result-twice",
        `messages.${index}`,
        `messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(results[0])}`,
      );
  }
}

function checkThoughts(body: Block, messages: readonly Block[], report: Report): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const last = blocksOf(message).at(-1)?.type;
    if (last === "thinking" || last === "redacted_thinking")
      report(
        "thinking-last",
        `messages.${index}`,
        `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
      );
  }
  if (asObject(body.thinking).type !== "enabled") return;
  const end = messages.at(-1);
  if (blocksOf(end)[0]?.type !== "tool_result") return;
  const index = messages.length - 2;
  const first = blocksOf(messages[index])[0]?.type;
  if (first !== "thinking" && first !== "redacted_thinking")
    report(
      "thinking-first",
      `messages.${index}`,
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    );
}
