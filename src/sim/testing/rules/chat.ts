import { isObject } from "../../../protocol/json.ts";
import { checkChatMessages } from "./chat-messages.ts";
import { checkChatParameters } from "./chat-parameters.ts";
import { CHAT_RULES, type ChatRules } from "./chat-vendors.ts";
import { isRetired } from "./families.ts";
import { checkFormatSchema, checkFunctionSchema, invalidName } from "./openai.ts";
import {
  asObject,
  collectProblems,
  objectsIn,
  type Problem,
  type Report,
  type VendorRequest,
} from "./problem.ts";
import { eachSchema, invalidByDraft } from "./schemas.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Checks a request to a vendor that speaks Chat Completions. */
export function checkChat(vendor: string, { body }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  const rules = CHAT_RULES[vendor] ?? {};
  if (!isObject(body)) return problems;
  const model = String(body.model ?? "");
  if (isRetired(vendor, model) && rules.noModel) {
    const { message, ...more } = rules.noModel(model);
    report("retired-model", "model", message, more);
  }
  for (const key of Object.keys(body)) {
    if (!rules.fields || rules.fields.includes(key)) continue;
    const { message, ...more } = rules.unknownField?.(key) ?? { message: `Unknown field ${key}` };
    report("unknown-field", key, message, more);
  }
  const names = checkTools(body, rules, report);
  checkToolChoice(body, names, rules, report);
  checkFormat(body, rules, report);
  checkChatParameters(vendor, model, body, rules, report);
  checkChatMessages(vendor, model, body, rules, report);
  return problems;
}

function checkTools(body: Record<string, unknown>, rules: ChatRules, report: Report): Set<string> {
  const names = new Set<string>();
  if (Array.isArray(body.tools) && body.tools.length === 0)
    report(
      "tool-count",
      "tools",
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { code: "empty_array" },
    );
  for (const { item: tool, index } of objectsIn(body.tools)) {
    const at = `tools[${index}].function`;
    const { name, description, parameters, strict } = asObject(tool.function);
    if (tool.type !== "function")
      report("tool-shape", at, `Missing required parameter: '${at}'.`, {
        code: "missing_required_parameter",
      });
    if (typeof name !== "string" || !NAME.test(name))
      report(
        "tool-name",
        `${at}.name`,
        `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'.`,
        { code: "invalid_value" },
      );
    if (names.has(String(name))) report("tool-duplicate", at, `Duplicate function name: '${String(name)}'.`);
    names.add(String(name));
    if (description !== undefined && typeof description !== "string")
      report("type", `${at}.description`, `Invalid type for '${at}.description': expected a string.`, {
        code: "invalid_type",
      });
    checkSchema(
      String(name),
      parameters,
      strict === true && rules.strict?.includes("tools") === true,
      rules,
      `${at}.parameters`,
      report,
    );
  }
  if (rules.mostTools && names.size > rules.mostTools)
    report(
      "tool-count",
      "tools",
      `Invalid 'tools': array too long. Expected an array with maximum length ${rules.mostTools}, but got an array with length ${names.size} instead.`,
      { code: "array_above_max_length" },
    );
  return names;
}

function checkSchema(
  name: string,
  schema: unknown,
  strict: boolean,
  rules: ChatRules,
  at: string,
  report: Report,
): void {
  switch (rules.schemas) {
    case "mistral": {
      const invalid = invalidByDraft(schema, "draft-07")[0];
      if (invalid)
        report("schema-draft", at, `Invalid tool schema: ${invalid.path.join(".")} ${invalid.what}`, {
          code: "3280",
        });
      if (asObject(schema).type !== "object")
        report("schema-object", at, `Invalid tool schema: ${name} must be an object`, { code: "3280" });
      return;
    }
    case "ollama": {
      checkGoSchema(schema, at, report);
      return;
    }
    default: {
      checkFunctionSchema(name, schema, strict, at, report);
      return;
    }
  }
}

/** Ollama reads schemas into typed structures: a value of another type fails the request. */
export function checkGoSchema(schema: unknown, at: string, report: Report): void {
  const top = asObject(schema);
  const bad = (field: string, kind: string, type: string) =>
    report(
      "schema-draft",
      at,
      `json: cannot unmarshal ${kind} into Go struct field ToolFunctionParameters.${field} of type ${type}`,
    );
  if (typeof top.type !== "string") bad("type", top.type === undefined ? "null" : "array", "string");
  if (!isObject(top.properties)) report("schema-object", at, "object schema missing properties");
  eachSchema(schema, (node, path) => {
    if ("required" in node && !Array.isArray(node.required))
      bad("required", typeof node.required, "[]string");
    if ("description" in node && typeof node.description !== "string")
      bad("description", typeof node.description, "string");
    if ("enum" in node && !Array.isArray(node.enum)) bad("enum", typeof node.enum, "[]interface {}");
    for (const [name, inner] of Object.entries(asObject(node.properties)))
      if (!isObject(inner)) bad([...path, "properties", name].join("."), typeof inner, "api.ToolProperty");
  });
}

function checkToolChoice(
  body: Record<string, unknown>,
  names: Set<string>,
  rules: ChatRules,
  report: Report,
): void {
  const { tool_choice: choice } = body;
  if (choice === undefined) return;
  const word = typeof choice === "string" ? choice : "function";
  if (names.size === 0)
    report(
      "tool-choice",
      "tool_choice",
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    );
  if (rules.toolChoices && !rules.toolChoices.includes(word))
    report(
      "tool-choice",
      "tool_choice",
      `Invalid value: '${word}'. Supported values are: ${rules.toolChoices.map((one) => `'${one}'`).join(", ")}.`,
      { code: "invalid_value" },
    );
  const { name } = asObject(asObject(choice).function);
  if (word === "function" && !names.has(String(name)))
    report(
      "tool-choice",
      "tool_choice",
      `Invalid value for 'tool_choice': no function named ${String(name)} was specified in the 'tools' parameter.`,
    );
}

function checkFormat(body: Record<string, unknown>, rules: ChatRules, report: Report): void {
  if (body.response_format === undefined) return;
  const { type, json_schema: schema } = asObject(body.response_format);
  if (rules.formats && !rules.formats.includes(String(type))) {
    report("format", "response_format", "This response_format type is unavailable now");
    return;
  }
  if (type === "json_schema") checkJsonSchema(asObject(schema), rules, report);
  if (type === "json_object" && !/json/i.test(JSON.stringify(body.messages)))
    report(
      "format-word",
      "messages",
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      rules.needsJsonWord ? {} : { misread: true },
    );
}

function checkJsonSchema(format: Record<string, unknown>, rules: ChatRules, report: Report): void {
  const at = "response_format.json_schema";
  if (!rules.freeFormats) {
    const strict = format.strict === true && rules.strict?.includes("formats") === true;
    checkFormatSchema({ ...format, strict }, at, report);
    return;
  }
  invalidName(String(format.name ?? ""), `${at}.name`, report);
  const invalid = invalidByDraft(format.schema, "2020-12")[0];
  if (invalid || !isObject(format.schema))
    report("format", at, `Invalid schema: ${invalid?.what ?? "missing"}`);
}
