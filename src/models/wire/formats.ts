import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { textOf } from "../../protocol/messages.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { fitSchema } from "./schemas/fit.ts";
import { formatProfile, type SchemaProfile, STRICT_FORMATS } from "./schemas/profiles.ts";
import { readSchema } from "./schemas/read.ts";

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
  const { formats, formatWithTools, closedSchemas, refuses = [] } = context.quirks;
  const withTools = formatWithTools !== false || context.model.reasoning?.startsWith("level");
  const refused = FIELDS.some((field) => refuses.includes(field));
  if (formats === "none" || refused || (tools.length > 0 && !withTools)) return { told: true, sure: false };
  const guaranteed = formats === "schema" || formats === "strict";
  if (!format.schema) {
    if (closedSchemas) return { told: true, sure: false };
    return { sent: "object", told: !mentionsJson(request), sure: guaranteed };
  }
  if (formats === "object") return { sent: "object", told: true, sure: false };
  const fitted = fitFormat(format, context);
  if (!fitted) return { told: true, sure: false };
  const sure = formats === "schema" || (formats === "strict" && fitted.strict);
  return { sent: "schema", told: formats === undefined, sure };
}

/** Vendors refuse to answer with JSON if no message asks for it. What the system says may not count. */
function mentionsJson({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role !== "system" && /json/i.test(textOf(message)));
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

/** A format's schema as a vendor takes it. */
interface FittedFormat {
  schema: JsonSchema;
  /** The vendor is asked to follow it exactly. */
  strict: boolean;
}

const MAX_DEPTH = 10;
const MAX_LENGTH = 64 * 1024;

/**
 * Writes a format's schema for a vendor. What cannot be said there is only checked here. Undefined if the answer is not an
 * object, or the vendor takes no schema of this kind.
 */
export function fitFormat(
  { schema, strict = false }: NonNullable<ModelRequest["responseFormat"]>,
  context: DialectContext,
  vendor = context.quirks.schemas ?? "openai-chat",
): FittedFormat | undefined {
  if (!schema) return undefined;
  const profile = context.quirks.closedSchemas ? "closed" : vendor;
  const key = `${profile} ${strict}`;
  const known = cache.get(schema) ?? new Map<string, FittedFormat | undefined>();
  cache.set(schema, known);
  if (!known.has(key)) known.set(key, fit(schema, strict, formatProfile(profile)));
  return known.get(key);
}

/** One request asks several times. */
const cache = new WeakMap<JsonSchema, Map<string, FittedFormat | undefined>>();

function fit(schema: JsonSchema, strict: boolean, profile: SchemaProfile): FittedFormat | undefined {
  const isExact = strict && schema.type === "object" && namesEverything(schema);
  // A schema that is right as it is may refer to itself, which is lost otherwise.
  if (isExact && !schema.anyOf && profile.strictFormats) return { schema, strict };
  const node = readSchema(schema, MAX_DEPTH);
  if (node?.anyOf || node?.type?.join() !== "object") return undefined;
  const exact = strict ? fitSchema(node, profile, { strict }) : undefined;
  const isSame = exact?.optional.size === 0;
  const fitted = isSame ? exact : fitSchema(node, profile);
  if (!fitted || JSON.stringify(fitted.schema).length > MAX_LENGTH) return undefined;
  return { schema: fitted.schema, strict: isSame };
}

const IN_STRICT = new Set([
  ...["type", "properties", "required", "items", "enum", "const", "anyOf", "$defs", "definitions", "$schema"],
  ...["title", "description", "additionalProperties", "pattern", "format", "minimum", "maximum"],
  ...["multipleOf", "minItems", "maxItems"],
]);

/** True if a schema leaves nothing open and uses only what vendors can follow exactly. */
function namesEverything(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (typeof schema.$ref === "string") return schema.$ref.startsWith("#") && Object.keys(schema).length === 1;
  const { type, properties, required, additionalProperties, items, anyOf, format } = schema;
  const types = [type].flat();
  const names = isObject(properties) ? Object.keys(properties) : undefined;
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const isOpen =
    additionalProperties !== false ||
    names?.length !== needed.length ||
    !names.every((name) => needed.includes(name));
  if (!Object.keys(schema).every((keyword) => IN_STRICT.has(keyword))) return false;
  if (!["type", "enum", "const", "anyOf"].some((keyword) => keyword in schema)) return false;
  if (types.includes("object") ? isOpen : names) return false;
  if (types.includes("array") ? !isObject(items) : items) return false;
  if (format !== undefined && !STRICT_FORMATS.has(String(format))) return false;
  const maps = [properties, schema.$defs, schema.definitions].filter(isObject).flatMap(Object.values);
  const variants = Array.isArray(anyOf) ? anyOf : [];
  return [...maps, ...variants, ...(items ? [items] : [])].every(namesEverything);
}
