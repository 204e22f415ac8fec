import { isObject, type JsonSchema } from "../../protocol/json.ts";

/** Keywords whose value maps names of the author's choosing to schemas. */
const NAMED_SCHEMAS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(["enum", "const", "default", "examples", "required"]);
const WORDS = new Set(["description", "title", "examples", "$comment"]);

/**
 * The schema that we check arguments by; the server checks them by its own besides. A server's regular expressions are
 * not run here: one of them could keep this process busy for ever.
 */
export function checkedSchema(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, ({ pattern: _, patternProperties, ...rest }) =>
    patternProperties === undefined ? rest : { ...rest, additionalProperties: true },
  );
}

/** The schema without anything that its author wrote for a reader. */
export function wordlessSchema(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, (one) =>
    Object.fromEntries(Object.entries(one).filter(([keyword]) => !WORDS.has(keyword))),
  );
}

/** Where a schema says more than we can check: its properties by name, and which are required. */
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

/** Changes a schema and every schema inside it. */
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
