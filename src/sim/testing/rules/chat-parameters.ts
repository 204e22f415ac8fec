import type { ChatRules } from "./chat-vendors.ts";
import { grokFamily, groqEfforts, openaiFamily } from "./families.ts";
import { asObject, type Report } from "./problem.ts";

type Body = Record<string, unknown>;

/** Checks the parameters of a Chat Completions request by vendor and model. */
export function checkChatParameters(
  vendor: string,
  model: string,
  body: Body,
  rules: ChatRules,
  report: Report,
): void {
  checkRanges(body, rules, report);
  VENDORS[vendor]?.(model, body, report);
}

function checkRanges(body: Body, rules: ChatRules, report: Report): void {
  for (const [field, range] of [
    ["temperature", rules.temperature],
    ["top_p", rules.topP],
    ["presence_penalty", [-2, 2]],
    ["frequency_penalty", [-2, 2]],
  ] as const) {
    const value = body[field];
    if (typeof value !== "number" || !range || (value >= range[0] && value <= range[1])) continue;
    const above = value > range[1];
    report(
      "range",
      field,
      `Invalid '${field}': decimal ${above ? "above maximum" : "below minimum"} value. Expected a value ${above ? `<= ${range[1]}` : `>= ${range[0]}`}, but got ${value} instead.`,
      { code: above ? "decimal_above_max_value" : "decimal_below_min_value" },
    );
  }
  for (const field of ["max_tokens", "max_completion_tokens"])
    if (body[field] !== undefined && !(Number.isInteger(body[field]) && Number(body[field]) >= 1))
      report(
        "max-tokens",
        field,
        `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${String(body[field])} instead.`,
        { code: "integer_below_min_value" },
      );
  const stops = typeof body.stop === "string" ? [body.stop] : body.stop;
  if (Array.isArray(stops) && rules.mostStops && stops.length > rules.mostStops)
    report(
      "stop",
      "stop",
      `Invalid 'stop': array too long. Expected an array with maximum length ${rules.mostStops}, but got an array with length ${stops.length} instead.`,
      { code: "array_above_max_length" },
    );
  if (Array.isArray(stops) && (stops.length === 0 || stops.some((stop) => stop === "")))
    report("stop", "stop", "Invalid 'stop': empty sequences are not allowed.", { code: "invalid_value" });
  if (body.stream_options !== undefined && body.stream !== true)
    report(
      "stream-options",
      "stream_options",
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  if (body.parallel_tool_calls !== undefined && body.tools === undefined)
    report(
      "parallel",
      "parallel_tool_calls",
      "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    );
}

const unsupported = { code: "unsupported_parameter" };

const VENDORS: Record<string, (model: string, body: Body, report: Report) => void> = {
  openai(model, body, report) {
    const family = openaiFamily(model);
    const { reasoning_effort: effort, verbosity, prompt_cache_key: key } = body;
    if (typeof key === "string" && key.length > 64)
      report(
        "too-long",
        "prompt_cache_key",
        `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`,
        { code: "string_above_max_length" },
      );
    if (effort !== undefined && !family.reasons)
      report("effort", "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort");
    else if (effort !== undefined && !family.efforts.includes(String(effort)))
      report(
        "effort",
        "reasoning_effort",
        `Unsupported value: 'reasoning_effort' does not support '${String(effort)}' with this model.`,
        { code: "unsupported_value" },
      );
    if (verbosity !== undefined && !/^gpt-[5-9]/.test(model) && verbosity !== "medium")
      report(
        "verbosity",
        "verbosity",
        `Unsupported value: 'verbosity' does not support '${String(verbosity)}' with this model.`,
        { code: "unsupported_value" },
      );
    if (!family.reasons) return;
    if (body.max_tokens !== undefined)
      report(
        "max-tokens",
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        unsupported,
      );
    const fixed = !(family.variesWithoutThinking && effort === "none");
    for (const field of ["temperature", "top_p"])
      if (fixed && body[field] !== undefined && body[field] !== 1)
        report(
          "sampling",
          field,
          `Unsupported value: '${field}' does not support ${String(body[field])} with this model. Only the default (1) value is supported.`,
          { code: "unsupported_value" },
        );
    for (const field of [
      "stop",
      "presence_penalty",
      "frequency_penalty",
      "logprobs",
      "top_logprobs",
      "logit_bias",
    ])
      if (body[field] !== undefined)
        report(
          field === "stop" ? "stop" : "penalties",
          field,
          `Unsupported parameter: '${field}' is not supported with this model.`,
          unsupported,
        );
  },
  xai(model, body, report) {
    const { reasons, efforts } = grokFamily(model);
    const { reasoning_effort: effort } = body;
    if (effort !== undefined && !efforts.includes(String(effort)))
      report("effort", "reasoning_effort", `Model ${model} does not support parameter reasoningEffort.`);
    for (const [field, name] of [
      ["presence_penalty", "presencePenalty"],
      ["frequency_penalty", "frequencyPenalty"],
      ["stop", "stop"],
    ] as const)
      if (reasons && body[field] !== undefined)
        report("penalties", field, `Argument not supported on this model: ${name}`);
  },
  deepseek(_model, body, report) {
    const { reasoning_effort: effort, tool_choice: choice } = body;
    if (
      effort !== undefined &&
      !["minimal", "low", "medium", "high", "xhigh", "max", "ultra"].includes(String(effort))
    )
      report(
        "effort",
        "reasoning_effort",
        `Failed to deserialize the JSON body into the target type: reasoning_effort: unknown variant \`${String(effort)}\`, expected one of \`low\`, \`high\`, \`max\``,
      );
    const thinks = asObject(body.thinking).type !== "disabled";
    if (thinks && (choice === "required" || typeof choice === "object"))
      report("forced-tool", "tool_choice", "Thinking mode does not support this tool_choice");
  },
  groq(model, body, report) {
    const { reasoning_effort: effort, response_format: format } = body;
    const efforts = groqEfforts(model);
    if (effort !== undefined && !efforts.includes(String(effort)))
      report(
        "effort",
        "reasoning_effort",
        efforts.length === 0
          ? "reasoning_effort is not supported with this model"
          : `\`reasoning_effort\` must be one of ${efforts.map((one) => `\`${one}\``).join(", ")}`,
      );
    for (const field of ["logprobs", "top_logprobs", "logit_bias"])
      if (body[field] !== undefined) report("penalties", field, `property '${field}' is unsupported`);
    const { type } = asObject(format);
    if (type === "json_schema" && body.stream === true)
      report(
        "format-with-stream",
        "response_format",
        "response_format `json_schema` is not supported with streaming",
      );
    if ((type === "json_schema" || type === "json_object") && body.tools !== undefined)
      report(
        "format-with-tools",
        "response_format",
        "json mode cannot be combined with tool/function calling",
      );
    if (type === "json_schema" && !/gpt-oss|kimi|llama-4|qwen/.test(model))
      report(
        "format",
        "response_format",
        "This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models",
      );
  },
  zai(model, body, report) {
    const { type } = asObject(body.thinking);
    if (type === "disabled" && /^glm-(5\.[3-9]|[6-9])/.test(model))
      report("thinking", "thinking", "thinking cannot be disabled for this model", { code: "1210" });
    for (const field of ["seed", "presence_penalty", "frequency_penalty", "logprobs", "parallel_tool_calls"])
      if (body[field] !== undefined)
        report("ignored-field", field, `${field} is not a parameter of this vendor`, { misread: true });
  },
  mistral(model, body, report) {
    const { reasoning_effort: effort, temperature, top_p: topP } = body;
    const isDefault = topP === 1 || (topP === undefined && effort !== "high");
    if (temperature === 0 && !isDefault)
      report("sampling", "top_p", "top_p must be 1 when using greedy sampling.", { code: "3051" });
    if (/^json/.test(String(asObject(body.response_format).type)) && body.tools !== undefined)
      report("format-with-tools", "response_format", "Cannot use json response type with tools", {
        code: "3051",
      });
    if (effort !== undefined && effort !== "high" && effort !== "none")
      report("effort", "reasoning_effort", "Input should be 'high' or 'none'", {
        status: 422,
        code: "literal_error",
      });
    if (effort !== undefined && /^(codestral|devstral|ministral|mistral-large|pixtral|open-)/.test(model))
      report("effort", "reasoning_effort", `reasoning_effort is not enabled for model ${model}`);
  },
  ollama(_model, body, report) {
    for (const field of ["parallel_tool_calls", "prompt_cache_key", "verbosity"])
      if (body[field] !== undefined)
        report("ignored-field", field, `${field} is not a parameter of this vendor`, { misread: true });
    const choice = body.tool_choice;
    if (choice !== undefined && choice !== "auto" && choice !== "none")
      report("forced-tool", "tool_choice", "tool_choice is ignored by this vendor", { misread: true });
  },
  openrouter(_model, body, report) {
    const { reasoning, reasoning_effort: effort } = body;
    const value = asObject(reasoning).effort ?? effort;
    if (
      value !== undefined &&
      !["none", "minimal", "low", "medium", "high", "xhigh", "max"].includes(String(value))
    )
      report(
        "effort",
        "reasoning",
        `Invalid option: expected one of "xhigh"|"high"|"medium"|"low"|"minimal"|"none"`,
      );
  },
};
