import { cleanText } from "../../protocol/clean-text.ts";
import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { lookUp } from "../../protocol/json-pointer.ts";
import type { ApiDocument } from "./document.ts";

const MAX_DEPTH = 12;
const MAX_PARTS = 2_000;
const MAX_TEXT = 500;

/** Keywords that are kept. Patterns are not: a regular expression from outside could block this process. */
const KEPT: ReadonlySet<string> = new Set(
  (
    "type enum const default format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength " +
    "minItems maxItems uniqueItems required description"
  ).split(" "),
);
const CONDITIONS = ["if", "then", "else"];
const NESTED = ["allOf", "anyOf", "oneOf"];

/** Returns a reader that turns a document's schemas into plain JSON Schema, with references resolved. Circular ones accept anything. */
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
    for (const keyword of CONDITIONS)
      if (isObject(schema[keyword])) result[keyword] = deeper(schema[keyword]);
    if (isObject(schema.patternProperties)) result.additionalProperties = true;
    if (isObject(schema.properties)) readProperties(schema.properties, result, deeper);
    return document.version === "3.0" ? fromVersion30(schema, result) : result;
  }
  return (schema) => {
    parts = 0;
    return read(schema, 0, []);
  };
}

/** Leaves out read-only properties, which only the API sets. */
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

/** Converts the `nullable` and exclusive bounds of OpenAPI 3.0. */
function fromVersion30(schema: Record<string, unknown>, result: JsonSchema): JsonSchema {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (result[exclusive] === true) {
      result[exclusive] = result[bound];
      delete result[bound];
    } else if (result[exclusive] === false) delete result[exclusive];
  }
  if (schema.nullable !== true) return result;
  if (Array.isArray(result.enum)) result.enum = [...new Set([...result.enum, null])];
  if (typeof result.type === "string") result.type = [result.type, "null"];
  return result;
}
