import { isObject } from "../../../protocol/json.ts";
import { type GeminiFamily, geminiFamily, isRetired } from "./families.ts";
import { checkContents } from "./gemini-contents.ts";
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
  contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent serviceTier store model
  labels
`);
const CONFIGURATION = words(`
  stopSequences responseMimeType responseSchema responseJsonSchema _responseJsonSchema responseModalities
  candidateCount maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs
  logprobs enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig mediaResolution responseFormat
`);
const DECLARATION = [
  "name",
  "description",
  "behavior",
  "parameters",
  "parametersJsonSchema",
  "response",
  "responseJsonSchema",
];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const MOST_TOOLS = 512;
const MOST_STOPS = 5;
const MAX_BYTES = 20 * 1024 * 1024;
/** The keywords that are documented for schemas in JSON Schema's form, and those of the vendor's own `Schema`. */
const KEYWORDS = words(`
  $id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum
  anyOf oneOf properties additionalProperties required propertyOrdering default nullable example minLength
  maxLength pattern minProperties maxProperties
`);
/** What `parameters` and `responseSchema` take besides nothing else: they are messages, so any other name is unknown. */
const OWN_KEYWORDS = KEYWORDS.filter(
  (key) => !["$id", "$defs", "$ref", "$anchor", "prefixItems", "oneOf", "additionalProperties"].includes(key),
);

/** Checks a request to Gemini's generateContent. */
export function checkGemini({ path, body, text }: VendorRequest): Problem[] {
  const { problems, report } = collectProblems();
  if (text !== undefined && Buffer.byteLength(text) > MAX_BYTES)
    report("size", "", "Request payload size exceeds the limit: 20971520 bytes.");
  if (!isObject(body)) return problems;
  const model = decodeURIComponent(/models\/([^:/?]+)/.exec(path)?.[1] ?? "");
  if (isRetired("gemini", model))
    report(
      "retired-model",
      "model",
      `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
      { status: 404 },
    );
  unknownNames(body, FIELDS, "", report);
  const family = geminiFamily(model);
  checkDeclarations(body, family, report);
  checkConfiguration(body, family, model, report);
  checkContents(body, family, report);
  return problems;
}

function unknownNames(
  value: Record<string, unknown>,
  known: readonly string[],
  at: string,
  report: Report,
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      report(
        "unknown-field",
        at || key,
        `Invalid JSON payload received. Unknown name "${key}"${at && ` at '${at}'`}: Cannot find field.`,
      );
}

function checkDeclarations(body: Record<string, unknown>, family: GeminiFamily, report: Report): void {
  const names = new Set<string>();
  for (const { item: tool, index } of objectsIn(body.tools))
    for (const { item: declaration, index: at } of objectsIn(tool.functionDeclarations)) {
      const where = `tools[${index}].function_declarations[${at}]`;
      const name = String(declaration.name);
      if (!NAME.test(name))
        report(
          "tool-name",
          where,
          `GenerateContentRequest.${where}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
        );
      if (names.has(name)) report("tool-duplicate", where, `Duplicate function declaration found: ${name}`);
      names.add(name);
      unknownNames(declaration, DECLARATION, where, report);
      if (typeof declaration.description !== "string" && declaration.description !== undefined)
        report("type", where, `Invalid value at '${where}.description' (TYPE_STRING)`);
      if (declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined)
        report("schema-twice", where, "parameters and parameters_json_schema must not both be set.");
      checkSchema(declaration.parameters, `${where}.parameters`, OWN_KEYWORDS, true, report);
      checkSchema(
        declaration.parametersJsonSchema,
        `${where}.parameters_json_schema`,
        KEYWORDS,
        true,
        report,
      );
    }
  if (names.size > MOST_TOOLS)
    report("tool-count", "tools", `At most ${MOST_TOOLS} function declarations are allowed.`);
  if (names.size > 0 && family.makesImages)
    report("tools-unsupported", "tools", "Function calling is not enabled for this model");
  const { mode, allowedFunctionNames: allowed } = asObject(asObject(body.toolConfig).functionCallingConfig);
  if (!Array.isArray(allowed)) return;
  if (mode !== "ANY" && mode !== "VALIDATED")
    report(
      "tool-choice",
      "tool_config",
      "Function calling config: allowed_function_names should only be set when mode is ANY.",
    );
  for (const name of allowed)
    if (!names.has(String(name)))
      report(
        "tool-choice",
        "tool_config",
        `allowed_function_names contains ${String(name)}, which is not a declared function.`,
      );
}

function checkSchema(
  schema: unknown,
  where: string,
  keywords: readonly string[],
  isObjectSchema: boolean,
  report: Report,
): void {
  if (schema === undefined) return;
  const place = (path: readonly string[]) => `GenerateContentRequest.${[where, ...path].join(".")}`;
  if (isObjectSchema && String(asObject(schema).type).toLowerCase() !== "object")
    report("schema-object", where, `${place([])}: only OBJECT type is allowed for function parameters`);
  eachSchema(schema, (node, path) => {
    unknownNames(node, keywords, [where, ...path].join("."), (_rule, at, message) =>
      report("schema-keyword", at, message),
    );
    const types = (Array.isArray(node.type) ? node.type : [node.type]).map((type) =>
      String(type).toLowerCase(),
    );
    if (types.includes("array") && !("items" in node) && !("prefixItems" in node))
      report("schema-items", where, `${place(path)}.items: missing field.`);
    const properties = asObject(node.properties);
    for (const name of Array.isArray(node.required) ? node.required : [])
      if (!(String(name) in properties))
        report("schema-required", where, `${place(path)}.required[0]: property is not defined`);
    if (node.$ref !== undefined && Object.keys(node).some((key) => !key.startsWith("$")))
      report("schema-ref", where, `${place(path)}: $ref must not be set together with other fields.`);
    if (keywords === OWN_KEYWORDS && types.includes("object") && Object.keys(properties).length === 0)
      report("schema-empty", where, `${place(path)}.properties: should be non-empty for OBJECT type`);
  });
  // The vendor's own form has type names in capitals and counts as strings.
  const invalid = keywords === KEYWORDS ? invalidByDraft(schema, "2020-12")[0] : undefined;
  if (invalid) report("schema-draft", where, `${place(invalid.path)}: ${invalid.what}`);
}

function checkConfiguration(
  body: Record<string, unknown>,
  family: GeminiFamily,
  model: string,
  report: Report,
): void {
  const config = asObject(body.generationConfig);
  const at = "generation_config";
  unknownNames(config, CONFIGURATION, at, report);
  const { temperature, topP, maxOutputTokens: max, stopSequences: stops, responseMimeType: mime } = config;
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2))
    report(
      "temperature-range",
      at,
      "Unable to submit request because it has a temperature value outside of the range [0.0, 2.0].",
    );
  if (typeof topP === "number" && (topP < 0 || topP > 1))
    report(
      "top-p-range",
      at,
      "GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0]",
    );
  if (max !== undefined && !(Number.isInteger(max) && Number(max) > 0 && Number(max) <= 65_536))
    report(
      "max-tokens",
      at,
      "Unable to submit request because it has a maxOutputTokens value out of the supported range from 1 to 65537 (exclusive).",
    );
  const { seed } = config;
  if (seed !== undefined && !(Number.isInteger(seed) && Math.abs(Number(seed)) < 2 ** 31))
    report("seed", at, "Invalid value at 'generation_config.seed' (TYPE_INT32)");
  if (Array.isArray(stops) && (stops.length > MOST_STOPS || stops.some((stop) => stop === "")))
    report(
      "stop",
      at,
      "GenerateContentRequest.generation_config.stop_sequences: at most 5 non-empty stop sequences are allowed",
    );
  for (const field of ["presencePenalty", "frequencyPenalty"])
    if (config[field] !== undefined) report("penalties", at, `Penalty is not enabled for models/${model}`);
  const hasSchema = config.responseSchema !== undefined || config.responseJsonSchema !== undefined;
  if (hasSchema && mime !== "application/json" && mime !== "text/x.enum")
    report("format", at, "Response schema is only supported with response mime type application/json.");
  if (mime === "application/json" && objectsIn(body.tools).length > 0 && family.version < 3)
    report(
      "format-with-tools",
      at,
      "Function calling with a response mime type: 'application/json' is unsupported",
    );
  if (mime === "application/json" && family.makesImages)
    report("format", at, "JSON mode is not enabled for this model");
  checkSchema(config.responseSchema, `${at}.response_schema`, OWN_KEYWORDS, false, report);
  checkSchema(config.responseJsonSchema, `${at}.response_json_schema`, KEYWORDS, false, report);
  if (
    Array.isArray(config.responseModalities) &&
    config.responseModalities.includes("IMAGE") &&
    !family.makesImages
  )
    report("modalities", at, "This model only supports text output.");
  checkThinking(asObject(config.thinkingConfig), family, report);
}

function checkThinking(config: Record<string, unknown>, family: GeminiFamily, report: Report): void {
  const at = "generation_config.thinking_config";
  unknownNames(config, ["includeThoughts", "thinkingBudget", "thinkingLevel"], at, report);
  const { thinkingBudget: budget, thinkingLevel: level } = config;
  if (budget !== undefined && level !== undefined)
    report("thinking", at, "You can only set only one of thinking budget and thinking level.");
  if (level !== undefined && !family.levels)
    report("thinking", at, "Thinking level is not supported for this model.");
  else if (level !== undefined && !family.levels?.includes(String(level)))
    report(
      "thinking",
      at,
      `Thinking level ${String(level)} is not supported for this model. Please retry with other thinking level.`,
    );
  if (Object.keys(config).length > 0 && !family.levels && !family.budget)
    report("thinking", at, "Thinking is not enabled for this model.");
  if (typeof budget !== "number" || !family.budget || budget === -1) return;
  const { least, most, canBeOff } = family.budget;
  if (budget === 0 && !canBeOff)
    report("thinking", at, "Budget 0 is invalid. This model only works in thinking mode.");
  else if (budget !== 0 && (budget < least || budget > most))
    report(
      "thinking",
      at,
      `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`,
    );
}
