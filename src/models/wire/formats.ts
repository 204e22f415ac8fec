import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { textOf } from "../../protocol/messages.ts";
import type { DialectContext, ModelRequest } from "../../protocol/model.ts";
import { quirksOf } from "./quirks.ts";

/** How a model is asked for JSON. */
export interface FormatPlan {
  /** The parameter to send, if any. */
  sent?: "schema" | "object";
  /** It is also asked in words. */
  told: boolean;
  /** The vendor guarantees the format, so the answer can be shown while it arrives. */
  sure: boolean;
}

/** Every dialect's field for the format. */
const FIELDS = [
  ...["response_format", "text.format", "output_config.format", "format"],
  ...["generationConfig.responseJsonSchema", "generationConfig.responseMimeType"],
];

/** Returns how to ask for the format of a request. Undefined if it has none. */
export function planFormat(request: ModelRequest, context: DialectContext): FormatPlan | undefined {
  const { responseFormat: format, tools } = request;
  if (!format) return undefined;
  const { formats, formatWithTools, closedSchemas, refuses = [] } = quirksOf(context);
  const withTools = formatWithTools !== false || context.model.reasoning?.startsWith("level");
  const refused = FIELDS.some((field) => refuses.includes(field));
  if (formats === "none" || refused || (tools.length > 0 && !withTools)) return { told: true, sure: false };
  const guaranteed = formats === "schema" || formats === "strict";
  if (!format.schema) {
    if (closedSchemas) return { told: true, sure: false };
    return { sent: "object", told: !mentionsJson(request), sure: guaranteed };
  }
  if (formats === "object") return { sent: "object", told: true, sure: false };
  const { schema } = format;
  if (schema.type !== "object" || (closedSchemas && !canClose(schema))) return { told: true, sure: false };
  const sure = formats === "schema" || (formats === "strict" && isStrict(format));
  return { sent: "schema", told: formats === undefined, sure };
}

/** Vendors refuse to answer with JSON if no message asks for it. */
function mentionsJson({ messages }: ModelRequest): boolean {
  return messages.some((message) => /json/i.test(textOf(message)));
}

/** Returns the words that ask for a format. */
export function formatInWords({ schema }: NonNullable<ModelRequest["responseFormat"]>): string {
  const only = "without any other text and without a code fence";
  if (!schema) return `Give your final answer as one JSON object, ${only}.`;
  return `Give your final answer as JSON that is valid against this JSON Schema, ${only}:\n${JSON.stringify(schema)}`;
}

/** Returns the name of a format as vendors take it. */
export function formatName({ name = "answer" }: NonNullable<ModelRequest["responseFormat"]>): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "answer";
}

/** True if a schema was called strict and is: vendors refuse to follow one whose objects leave anything open. */
export function isStrict({ strict, schema }: NonNullable<ModelRequest["responseFormat"]>): boolean {
  return strict === true && schema !== undefined && namesEverything(schema);
}

function namesEverything(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(namesEverything);
  if (!isObject(value)) return true;
  const { properties, required, additionalProperties } = value;
  const isOpen = value.type === "object" && (additionalProperties !== false || !isObject(properties));
  const names = isObject(properties) && value.type === "object" ? Object.keys(properties) : [];
  const isMissing = names.some((name) => !Array.isArray(required) || !required.includes(name));
  return !isOpen && !isMissing && Object.values(value).every(namesEverything);
}

// Schemas with fewer keywords. What is lost is only checked here.

const STRUCTURE = [
  ...["type", "properties", "required", "items", "enum", "anyOf", "$ref", "$defs", "definitions"],
  ...["title", "description", "additionalProperties"],
];
/** The keywords that go with closed schemas. */
const IN_CLOSED = new Set([...STRUCTURE, "const", "allOf", "default"]);
/** The keywords that Gemini knows. */
const IN_GEMINI = new Set([...STRUCTURE, "minimum", "maximum", "minItems", "maxItems", "prefixItems"]);

/** Returns a schema whose objects allow no other properties, with only the keywords that closed schemas may have. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  return reduce(schema, IN_CLOSED, true);
}

/** Returns a schema with only the keywords that Gemini knows. */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  return reduce(schema, IN_GEMINI, false);
}

function reduce(schema: JsonSchema, keywords: ReadonlySet<string>, close: boolean): JsonSchema {
  const { oneOf, const: only, ...rest } = schema;
  const spelled = {
    ...(Array.isArray(oneOf) && { anyOf: oneOf }),
    ...("const" in schema && (keywords.has("const") ? { const: only } : { enum: [only] })),
    ...rest,
  };
  const inner = (value: unknown) => (isObject(value) ? reduce(value, keywords, close) : value);
  const kept = Object.entries(spelled).flatMap(([key, value]): [string, unknown][] => {
    if (!keywords.has(key)) return [];
    if (["enum", "const", "default", "required"].includes(key)) return [[key, value]];
    if (Array.isArray(value)) return [[key, value.map(inner)]];
    if (!["properties", "$defs", "definitions"].includes(key) || !isObject(value))
      return [[key, inner(value)]];
    return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))]];
  });
  const closes = close && isObject(schema.properties);
  return { ...Object.fromEntries(kept), ...(closes && { additionalProperties: false }) };
}

/** False for schemas with objects of any keys, and for those that refer to themselves. */
function canClose(schema: JsonSchema): boolean {
  const text = JSON.stringify(schema);
  if (/"patternProperties"|"additionalProperties":(?!false)|"\$ref":"#"/.test(text)) return false;
  const definitions = { ...asObject(schema.$defs), ...asObject(schema.definitions) };
  const recursive = Object.entries(definitions).some(([name, one]) =>
    JSON.stringify(one).includes(`/${name}"`),
  );
  return !recursive && !hasOpenObject(schema);
}

function hasOpenObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOpenObject);
  if (!isObject(value)) return false;
  if (value.type === "object" && !isObject(value.properties)) return true;
  return Object.values(value).some(hasOpenObject);
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
