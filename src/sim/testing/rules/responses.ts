import { isObject } from "../../../protocol/json.ts";
import { isRetired, openaiFamily } from "./families.ts";
import { checkFormatSchema, checkFunctionSchema, checkImageUrl, invalidName, notFound } from "./openai.ts";
import {
  asObject,
  collectProblems,
  objectsIn,
  type Problem,
  type Report,
  type VendorRequest,
  words,
} from "./problem.ts";

const FIELDS = words(`
  background context_management conversation include input instructions max_output_tokens max_tool_calls metadata
  model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text
  tool_choice tools top_logprobs top_p truncation user
`);
const LEAST_TOKENS = 16;
const LONGEST_ID = 64;
const MOST_TOOLS = 128;
const PREFIXES: Record<string, string> = { function_call: "fc", reasoning: "rs", message: "msg" };

/** Checks a request to OpenAI's Responses. */
export function checkResponses({ body }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  if (!isObject(body)) return problems;
  const model = String(body.model ?? "");
  if (isRetired("openai", model)) notFound(model, report);
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key))
      report("unknown-field", key, `Unknown parameter: '${key}'.`, { code: "unknown_parameter" });
  checkParameters(body, model, report);
  checkTools(body, report);
  const { format } = asObject(body.text);
  if (format !== undefined) {
    const { type, ...rest } = asObject(format);
    if (type === "json_schema") checkFormatSchema(rest, "text.format", report);
    else if (type === "json_object" && !/json/i.test(JSON.stringify(body.input)))
      report(
        "format-word",
        "input",
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      );
  }
  if (typeof body.input !== "string") checkInput(body, report);
  return problems;
}

function checkParameters(body: Record<string, unknown>, model: string, report: Report): void {
  const family = openaiFamily(model);
  const { max_output_tokens: max, previous_response_id: previous, prompt_cache_key: key } = body;
  if (typeof max === "number" && max < LEAST_TOKENS)
    report(
      "max-tokens",
      "max_output_tokens",
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${max} instead.`,
      { code: "integer_below_min_value" },
    );
  if (typeof previous === "string" && !previous.startsWith("resp"))
    report(
      "previous-response",
      "previous_response_id",
      `Invalid 'previous_response_id': '${previous}'. Expected an ID that begins with 'resp'.`,
      { code: "invalid_value" },
    );
  if (typeof key === "string" && key.length > LONGEST_ID)
    tooLong("prompt_cache_key", key, LONGEST_ID, report);
  const { effort } = asObject(body.reasoning);
  if (isObject(body.reasoning) && !family.reasons && Object.keys(body.reasoning).length > 0)
    report(
      "effort",
      "reasoning.effort",
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      { code: "unsupported_parameter" },
    );
  else if (typeof effort === "string" && !family.efforts.includes(effort))
    report(
      "effort",
      "reasoning.effort",
      `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${family.efforts.map((one) => `'${one}'`).join(", ")}.`,
      { code: "unsupported_value" },
    );
  const includes = Array.isArray(body.include) ? body.include : [];
  if (includes.includes("reasoning.encrypted_content") && !family.reasons)
    report("effort", "include", "Encrypted content is not supported with this model.");
  const fixed = family.reasons && !(family.variesWithoutThinking && effort === "none");
  for (const field of ["temperature", "top_p", "top_logprobs"])
    if (fixed && body[field] !== undefined)
      report("sampling", field, `Unsupported parameter: '${field}' is not supported with this model.`, {
        code: "unsupported_parameter",
      });
  const { verbosity } = asObject(body.text);
  if (verbosity !== undefined && !/^gpt-[5-9]/.test(model) && verbosity !== "medium")
    report(
      "verbosity",
      "text.verbosity",
      `Unsupported value: '${String(verbosity)}' is not supported with the '${model}' model. Supported values are: 'medium'.`,
      { code: "unsupported_value" },
    );
  for (const [field, most] of [
    ["temperature", 2],
    ["top_p", 1],
  ] as const)
    if (typeof body[field] === "number" && (body[field] < 0 || body[field] > most))
      report(
        "range",
        field,
        `Invalid '${field}': decimal above maximum value. Expected a value <= ${most}, but got ${body[field]} instead.`,
        { code: "decimal_above_max_value" },
      );
}

function tooLong(at: string, value: string, most: number, report: Report): void {
  report(
    "too-long",
    at,
    `Invalid '${at}': string too long. Expected a string with maximum length ${most}, but got a string with length ${value.length} instead.`,
    { code: "string_above_max_length" },
  );
}

function checkTools({ tools, tool_choice: choice }: Record<string, unknown>, report: Report): void {
  const names = new Set<string>();
  for (const { item: tool, index } of objectsIn(tools)) {
    if (tool.type !== "function") continue;
    const at = `tools[${index}]`;
    const name = String(tool.name);
    if (tool.function !== undefined)
      report("tool-shape", at, `Missing required parameter: '${at}.name'.`, {
        code: "missing_required_parameter",
      });
    invalidName(name, `${at}.name`, report);
    if (names.has(name)) report("tool-duplicate", at, `Duplicate tool name: '${name}'.`);
    names.add(name);
    checkFunctionSchema(
      name,
      tool.parameters,
      tool.strict !== false && tool.strict !== null,
      `${at}.parameters`,
      report,
    );
  }
  if (names.size > MOST_TOOLS)
    report(
      "tool-count",
      "tools",
      `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${names.size} instead.`,
      { code: "array_above_max_length" },
    );
  if (choice === "required" && objectsIn(tools).length === 0)
    report("tool-choice", "tool_choice", "Tool choice 'required' must be specified with 'tools' parameter.");
  const { type, name } = asObject(choice);
  if (type === "function" && !names.has(String(name)))
    report("tool-choice", "tool_choice", `Tool choice 'function' not found in 'tools' parameter.`);
}

function checkInput(body: Record<string, unknown>, report: Report): void {
  const items = objectsIn(body.input).map(({ item }) => item);
  if (items.length === 0 && body.previous_response_id === undefined && body.prompt === undefined)
    report("required", "input", "Missing required parameter: 'input'.", {
      code: "missing_required_parameter",
    });
  const outputs = items.filter(({ type }) => type === "function_call_output").map((item) => item.call_id);
  const calls = items.filter(({ type }) => type === "function_call").map((item) => item.call_id);
  for (const id of calls)
    if (!outputs.includes(id))
      report("call-without-result", "input", `No tool output found for function call ${String(id)}.`);
  for (const id of outputs)
    if (!calls.includes(id) && body.previous_response_id === undefined)
      report(
        "result-without-call",
        "input",
        `No tool call found for function call output with call_id ${String(id)}.`,
      );
  if (new Set(outputs).size < outputs.length)
    report("result-twice", "input", `Duplicate function call output with call_id ${String(outputs[0])}.`);
  if (new Set(calls).size < calls.length)
    report("call-id", "input", `Duplicate function call with call_id ${String(calls[0])}.`);
  for (const [index, item] of items.entries())
    checkItem(item, items[index + 1], index, body.store === true, report);
}

function checkItem(
  item: Record<string, unknown>,
  next: Record<string, unknown> | undefined,
  index: number,
  stored: boolean,
  report: Report,
): void {
  const at = `input[${index}]`;
  const type = String(item.type ?? (item.role ? "message" : ""));
  const prefix = PREFIXES[type];
  if (typeof item.id === "string" && prefix && !item.id.startsWith(prefix))
    report(
      "item-id",
      `${at}.id`,
      `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`,
      { code: "invalid_value" },
    );
  if (type === "reasoning") {
    const led = next?.type === "reasoning" || next?.type === "function_call" || next?.role === "assistant";
    if (!led)
      report(
        "reasoning-alone",
        at,
        `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`,
      );
    if (!stored && typeof item.encrypted_content !== "string")
      report(
        "reasoning-not-kept",
        at,
        `Item with id '${String(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { status: 404 },
      );
    if (!Array.isArray(item.summary))
      report("required", at, `Missing required parameter: '${at}.summary'.`, {
        code: "missing_required_parameter",
      });
  }
  if (type === "function_call" || type === "function_call_output") {
    const id = item.call_id;
    if (typeof id !== "string" || id === "")
      report("call-id", `${at}.call_id`, `Missing required parameter: '${at}.call_id'.`, {
        code: "missing_required_parameter",
      });
    else if (id.length > LONGEST_ID) tooLong(`${at}.call_id`, id, LONGEST_ID, report);
  }
  if (type === "function_call") {
    invalidName(String(item.name), `${at}.name`, report);
    if (!isJsonObject(item.arguments))
      report("call-arguments", at, `Invalid '${at}.arguments': expected a JSON object as a string.`, {
        misread: true,
      });
  }
  if (type === "function_call_output" && typeof item.output !== "string" && !Array.isArray(item.output))
    report("type", `${at}.output`, `Missing required parameter: '${at}.output'.`, {
      code: "missing_required_parameter",
    });
  if (type === "message") checkMessage(item, at, report);
}

function isJsonObject(text: unknown): boolean {
  try {
    return isObject(JSON.parse(String(text)));
  } catch {
    return false; // That is the answer.
  }
}

function checkMessage(item: Record<string, unknown>, at: string, report: Report): void {
  if (!["user", "assistant", "system", "developer"].includes(String(item.role)))
    report(
      "role",
      at,
      `Invalid value: '${String(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
      { code: "invalid_value" },
    );
  if (typeof item.content === "string") return;
  const parts = objectsIn(item.content);
  if (parts.length === 0)
    report(
      "empty-message",
      at,
      `Invalid '${at}.content': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { code: "empty_array" },
    );
  for (const { item: part, index } of parts) {
    const place = `${at}.content[${index}]`;
    const allowed =
      item.role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
    if (!allowed.includes(String(part.type)))
      report(
        "block-type",
        place,
        `Invalid value: '${String(part.type)}'. Supported values are: ${allowed.map((one) => `'${one}'`).join(", ")}.`,
        { code: "invalid_value" },
      );
    if (part.type === "input_image" && part.file_id === undefined)
      checkImageUrl(part.image_url, `${place}.image_url`, report);
  }
}
