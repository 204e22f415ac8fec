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
  if (closedSchemas && !canClose(format.schema)) return { told: true, sure: false };
  const sure = formats === "schema" || (formats === "strict" && format.strict === true);
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

// Closed schemas: every object names all of its properties.

/** Keywords that go with closed schemas. Others are only checked here. */
const KEPT = new Set([
  ...[
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
  ],
  ...["title", "description", "default", "additionalProperties"],
]);

/** Returns a schema whose objects allow no other properties, with only the keywords that closed schemas may have. */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const { oneOf, ...rest } = schema;
  const kept = Object.entries(Array.isArray(oneOf) ? { anyOf: oneOf, ...rest } : rest).flatMap(
    ([key, value]): [string, unknown][] => (KEPT.has(key) ? [[key, closeInner(key, value)]] : []),
  );
  return {
    ...Object.fromEntries(kept),
    ...(isObject(schema.properties) && { additionalProperties: false }),
  };
}

function closeInner(key: string, value: unknown): unknown {
  if (key === "enum" || key === "const" || key === "default") return value;
  if (Array.isArray(value)) return value.map((one) => (isObject(one) ? closeSchema(one) : one));
  if (!isObject(value)) return value;
  if (key === "items") return closeSchema(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isObject(one) ? closeSchema(one) : one]),
  );
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
