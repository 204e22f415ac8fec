import { cleanText } from "../../protocol/clean-text.ts";
import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { type ApiDocument, lookUp } from "./document.ts";

const MAX_DEPTH = 12;
const MAX_PARTS = 2_000;
const MAX_TEXT = 500;

/** What is kept of a schema. Patterns are not: an expression from outside could keep this process busy. */
const KEPT = new Set([
  "type",
  "enum",
  "const",
  "default",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "required",
  "description",
]);
const NESTED = ["allOf", "anyOf", "oneOf"];

/** Schemas of a document as plain JSON Schema, references put in. What goes round in circles is cut: anything goes there. */
export function schemaReader(document: ApiDocument): (schema: unknown) => JsonSchema {
  let parts = 0;

  function read(schema: unknown, depth: number, inside: readonly string[]): JsonSchema {
    parts++;
    if (!isObject(schema) || depth > MAX_DEPTH || parts > MAX_PARTS) return {};
    if (typeof schema.$ref === "string") {
      if (inside.includes(schema.$ref)) return {};
      return read(lookUp(document.root, schema.$ref), depth + 1, [...inside, schema.$ref]);
    }
    const deeper = (one: unknown) => read(one, depth + 1, inside);
    const result: JsonSchema = {};
    for (const [keyword, value] of Object.entries(schema)) if (KEPT.has(keyword)) result[keyword] = value;
    if (typeof schema.description === "string") result.description = cleanText(schema.description, MAX_TEXT);
    for (const keyword of NESTED)
      if (Array.isArray(schema[keyword])) result[keyword] = schema[keyword].map(deeper);
    if (schema.items !== undefined) result.items = deeper(schema.items);
    if (isObject(schema.additionalProperties))
      result.additionalProperties = deeper(schema.additionalProperties);
    else if (typeof schema.additionalProperties === "boolean")
      result.additionalProperties = schema.additionalProperties;
    if (isObject(schema.properties)) readProperties(schema.properties, result, deeper);
    return document.version === "3.0" ? fromOldForm(schema, result) : result;
  }
  return (schema) => {
    parts = 0;
    return read(schema, 0, []);
  };
}

/** What only the API itself fills in is not asked for. */
function readProperties(
  properties: Record<string, unknown>,
  result: JsonSchema,
  read: (schema: unknown) => JsonSchema,
): void {
  const written = Object.entries(properties).filter(([, one]) => !(isObject(one) && one.readOnly === true));
  result.properties = Object.fromEntries(written.map(([name, one]) => [name, read(one)]));
  if (Array.isArray(result.required))
    result.required = result.required.filter((name) => written.some(([known]) => known === name));
}

/** How 3.0 says that something may be null, and that a bound is not itself allowed. */
function fromOldForm(schema: Record<string, unknown>, result: JsonSchema): JsonSchema {
  if (result.exclusiveMinimum === true) {
    result.exclusiveMinimum = result.minimum;
    delete result.minimum;
  } else if (result.exclusiveMinimum === false) delete result.exclusiveMinimum;
  if (result.exclusiveMaximum === true) {
    result.exclusiveMaximum = result.maximum;
    delete result.maximum;
  } else if (result.exclusiveMaximum === false) delete result.exclusiveMaximum;
  if (schema.nullable !== true) return result;
  if (Array.isArray(result.enum)) result.enum = [...new Set([...result.enum, null])];
  if (typeof result.type === "string") result.type = [result.type, "null"];
  return result;
}
