import { isObject, type JsonSchema } from "../../protocol/json.ts";

/** Keywords whose value maps names to schemas. */
const NAMED_SCHEMAS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(["enum", "const", "default", "examples", "required"]);
const WORDS = new Set(["description", "title", "examples", "$comment"]);

/**
 * Returns the schema for checking arguments here. It has no regular expressions: one from outside could block this process.
 * The server checks arguments itself.
 */
export function checkedSchema(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, ({ pattern: _, patternProperties, ...rest }) =>
    patternProperties === undefined ? rest : { ...rest, additionalProperties: true },
  );
}

/** Removes descriptions, titles and other texts for readers. */
export function schemaWithoutTexts(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, (one) =>
    Object.fromEntries(Object.entries(one).filter(([keyword]) => !WORDS.has(keyword))),
  );
}

/** Reduces a schema that we cannot check to its property names and required properties. */
export function looseSchema(schema: JsonSchema): JsonSchema {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    required: required.filter((name) => names.includes(name)),
    additionalProperties: true,
  };
}

/** Applies a change to a schema and every schema inside it. */
function eachSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value) ? eachSchema(value, change) : value;
  };
  const entries = Object.entries(change(schema)).map(([keyword, value]): [string, unknown] => {
    if (DATA.has(keyword)) return [keyword, value];
    if (!NAMED_SCHEMAS.has(keyword) || !isObject(value)) return [keyword, inside(value)];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]))];
  });
  return Object.fromEntries(entries);
}
