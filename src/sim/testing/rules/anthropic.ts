import { isObject } from "../../../protocol/json.ts";
import { checkConversation } from "./anthropic-messages.ts";
import { type ClaudeFamily, claudeFamily, isRetired } from "./families.ts";
import {
  asObject,
  collectProblems,
  objectsIn,
  type Problem,
  type Report,
  type VendorRequest,
  words,
} from "./problem.ts";
import { eachSchema, invalidByDraft } from "./schemas.ts";

const FIELDS = words(`
  model messages max_tokens cache_control container inference_geo metadata output_config service_tier
  stop_sequences stream system temperature thinking tool_choice tools top_k top_p context_management mcp_servers
  speed
`);
const MAX_BYTES = 32 * 1024 * 1024;
const EXTRA = "Extra inputs are not permitted";
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
const TOOL_FIELDS = words(`
  name description input_schema cache_control type strict defer_loading allowed_callers input_examples
  eager_input_streaming
`);

/** Checks a request to Anthropic's Messages. */
export function checkAnthropic({ body, headers, text }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  if (text !== undefined && Buffer.byteLength(text) > MAX_BYTES)
    report("size", "", "Request exceeds the maximum size", { status: 413, code: "request_too_large" });
  if (headers["anthropic-version"] === undefined)
    report("header", "anthropic-version", "anthropic-version: header is required");
  if (!isObject(body)) return problems;
  const model = typeof body.model === "string" ? body.model : "";
  if (model === "") report("required", "model", "model: Field required");
  if (isRetired("anthropic", model))
    report("retired-model", "model", `model: ${model}`, { status: 404, code: "not_found_error" });
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) report("unknown-field", key, `${key}: ${EXTRA}`);
  const family = claudeFamily(model);
  checkTools(body, report);
  checkParameters(body, family, report);
  checkFormat(body, family, report);
  checkMarks(body, report);
  checkConversation(body, family, report);
  return problems;
}

function checkTools({ tools, tool_choice: choice }: Record<string, unknown>, report: Report): void {
  const seen = new Set<string>();
  for (const { item: tool, index } of objectsIn(tools)) {
    const at = `tools.${index}`;
    const name = String(tool.name);
    if (!TOOL_NAME.test(name))
      report("tool-name", at, `${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (seen.has(name)) report("tool-duplicate", at, "tools: Tool names must be unique.");
    seen.add(name);
    for (const key of Object.keys(tool))
      if (!TOOL_FIELDS.includes(key)) report("unknown-field", at, `${at}.custom.${key}: ${EXTRA}`);
    if (tool.description !== undefined && typeof tool.description !== "string")
      report("type", at, `${at}.custom.description: Input should be a valid string`);
    checkInputSchema(tool.input_schema, `${at}.custom.input_schema`, at, report);
  }
  if (choice === undefined) return;
  const { type, name } = asObject(choice);
  if (seen.size === 0)
    report("tool-choice", "tool_choice", "tool_choice: may only be specified while providing tools");
  if (type === "tool" && !seen.has(String(name)))
    report("tool-choice", "tool_choice", `Tool '${String(name)}' not found in provided tools`);
}

function checkInputSchema(schema: unknown, where: string, at: string, report: Report): void {
  if (!isObject(schema)) {
    report("schema-object", at, `${where}: Input should be a valid dictionary`);
    return;
  }
  if (schema.type !== "object")
    report(
      "schema-object",
      at,
      schema.type === undefined ? `${where}.type: Field required` : `${where}.type: Input should be 'object'`,
    );
  if (["oneOf", "allOf", "anyOf"].some((key) => key in schema))
    report(
      "schema-top-level",
      at,
      `${where}: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    );
  eachSchema(schema, ({ properties }, path) => {
    for (const key of Object.keys(asObject(properties)))
      if (!PROPERTY.test(key)) {
        const place = [where, ...path, "properties"].join(".");
        report("parameter-name", at, `${place}: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`);
      }
  });
  const invalid = invalidByDraft(schema, "2020-12")[0];
  if (invalid)
    report(
      "schema-draft",
      at,
      `${where}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
    );
}

function checkParameters(body: Record<string, unknown>, family: ClaudeFamily, report: Report): void {
  const { max_tokens: max, temperature, stop_sequences: stops, thinking, tool_choice: choice } = body;
  if (!Number.isInteger(max)) report("max-tokens", "max_tokens", "max_tokens: Field required");
  else if (Number(max) < 0)
    report("max-tokens", "max_tokens", "max_tokens: Input should be greater than or equal to 0");
  else if (max === 0 && body.stream === true)
    report("max-tokens", "max_tokens", "max_tokens: 0 is not supported with `stream`");
  else if (Number(max) > family.maxTokens)
    report(
      "max-tokens",
      "max_tokens",
      `max_tokens: ${max} > ${family.maxTokens}, which is the maximum allowed number of output tokens for ${body.model}`,
    );
  for (const field of ["temperature", "top_p", "top_k"])
    if (family.fixedSampling && body[field] !== undefined)
      report("sampling", field, `\`${field}\` is deprecated for this model.`);
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1))
    report("temperature-range", "temperature", `temperature: range: 0..1`);
  if (temperature !== undefined && body.top_p !== undefined && family.version >= 4.1)
    report(
      "sampling-both",
      "top_p",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    );
  for (const { item: _item, index } of objectsIn(stops)) {
    const stop = (stops as unknown[])[index];
    if (typeof stop !== "string" || stop.trim() === "")
      report("stop", "stop_sequences", "stop_sequences: each stop sequence must contain non-whitespace");
  }
  if (Array.isArray(stops) && stops.length > 8191)
    report("stop", "stop_sequences", "stop_sequences: too many");
  const forced = ["any", "tool"].includes(String(asObject(choice).type));
  if (forced && !family.forcedTools)
    report("forced-tool", "tool_choice", "tool_choice: `any` and `tool` are not supported for this model.");
  if (thinking !== undefined) checkThinking(body, family, forced, report);
  const thinks = thinking === undefined ? family.thinksByDefault : asObject(thinking).type === "adaptive";
  if (thinks && family.thinksByDefault && Number(max) < LEAST_ROOM)
    report("thinking-room", "max_tokens", `max_tokens: ${max} leaves no room for an answer after thinking`, {
      misread: true,
    });
}

/** A model that thinks needs at least this much to think and answer. */
const LEAST_ROOM = 2_048;

function checkThinking(
  body: Record<string, unknown>,
  family: ClaudeFamily,
  forced: boolean,
  report: Report,
): void {
  const { type, budget_tokens: budget } = asObject(body.thinking);
  const on = type === "enabled" || type === "adaptive";
  if (!(family.thinking as readonly unknown[]).includes(type))
    report(
      "thinking",
      "thinking",
      `"thinking.type.${String(type)}" is not supported for this model.${type === "enabled" ? ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.' : ""}`,
    );
  if (type === "enabled") {
    if (!(Number(budget) >= 1024))
      report(
        "thinking",
        "thinking",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
      );
    if (Number(budget) >= Number(body.max_tokens))
      report("thinking", "max_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  } else if (budget !== undefined)
    report("thinking", "thinking", `thinking.${String(type)}.budget_tokens: ${EXTRA}`);
  if (on && forced)
    report("forced-tool", "tool_choice", "Thinking may not be enabled when tool_choice forces tool use.");
  if (on && body.temperature !== undefined && body.temperature !== 1)
    report("sampling", "temperature", "`temperature` may only be set to 1 when thinking is enabled.");
  if (on && typeof body.top_p === "number" && body.top_p < 0.95)
    report(
      "sampling",
      "top_p",
      "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    );
  if (on && body.top_k !== undefined)
    report("sampling", "top_k", "`top_k` must be unset when thinking is enabled.");
}

const NOT_IN_FORMATS = words(`
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems
  minProperties maxProperties patternProperties propertyNames not if then else oneOf prefixItems contains
  dependentRequired dependentSchemas
`);

function checkFormat(body: Record<string, unknown>, family: ClaudeFamily, report: Report): void {
  const { effort, format, ...others } = asObject(body.output_config);
  for (const key of Object.keys(others))
    if (key !== "task_budget") report("unknown-field", "output_config", `output_config.${key}: ${EXTRA}`);
  if (effort !== undefined && !family.efforts.includes(String(effort)))
    report(
      "effort",
      "output_config",
      family.efforts.length === 0
        ? "This model does not support the effort parameter."
        : `output_config.effort: Input should be ${family.efforts.map((one) => `'${one}'`).join(", ")}`,
    );
  if (format === undefined) return;
  const { type, schema } = asObject(format);
  const where = "output_config.format.schema";
  if (type !== "json_schema" || !isObject(schema)) {
    report("format", "output_config", `${where}: Field required`);
    return;
  }
  if (family.version < 4.1)
    report(
      "format",
      "output_config",
      "output_config.format: This model does not support structured outputs.",
    );
  eachSchema(schema, (node, path) => {
    const place = path.length > 0 ? `${where}.${path.join(".")}` : where;
    const types = Array.isArray(node.type) ? node.type : [node.type];
    if ((types.includes("object") || "properties" in node) && node.additionalProperties !== false)
      report(
        "format-closed",
        "output_config",
        `${where}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
      );
    const found = NOT_IN_FORMATS.filter((key) => key in node);
    if (typeof node.minItems === "number" && node.minItems > 1) found.push("minItems");
    if (found.length > 0)
      report(
        "format-keyword",
        "output_config",
        `${place}: For '${String(types[0])}' type, properties ${found.join(", ")} are not supported`,
      );
    if (typeof node.$ref === "string" && !/^#\/(\$defs|definitions)\//.test(node.$ref))
      report("format-keyword", "output_config", `${place}: External $ref is not supported`);
  });
  if (invalidByDraft(schema, "2020-12").length > 0)
    report("schema-draft", "output_config", `${where}: JSON schema is invalid.`);
}

const MOST_MARKS = 4;

function checkMarks(body: Record<string, unknown>, report: Report): void {
  const blocks = [
    ...objectsIn(body.tools),
    ...objectsIn(body.system),
    ...objectsIn(body.messages).flatMap(({ item }) => objectsIn(item.content)),
  ].map(({ item }) => item);
  const marked = blocks.filter((block) => block.cache_control !== undefined);
  if (marked.length > MOST_MARKS)
    report(
      "cache-marks",
      "",
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  for (const block of marked) {
    if (block.type === "thinking" || block.type === "redacted_thinking")
      report("cache-marks", "", "thinking blocks: cache_control cannot be set");
    if (block.type === "text" && block.text === "")
      report("cache-marks", "", "cache_control cannot be set for empty text blocks");
  }
}
