import { isObject, type JsonSchema } from "../protocol/json.ts";
import { type PlainTool, toolFromPlain } from "../protocol/plain-tool.ts";
import type { Tool } from "../protocol/tool.ts";

/** Keywords whose value maps names to schemas. */
const NAMED_SCHEMAS = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(["enum", "const", "default", "examples", "required"]);
const WORDS = new Set(["description", "title", "examples", "$comment"]);

/**
 * Makes a tool of a server or an API. Its schema may be of any draft and is shown to the model as it is. Arguments that are
 * plainly wrong are refused here; others reach the server unchanged, which checks them itself.
 */
export function toolFromOutside(base: Omit<PlainTool, "parameters">, schema: JsonSchema): Tool {
  const tool = checkedTool(base, schema);
  return {
    ...tool,
    parameters: schema,
    parse: (args) => {
      const parsed = tool.parse(args);
      if (parsed.ok) return { ok: true, value: args };
      // Models write null for what they leave out.
      return tool.parse(withoutNulls(args)).ok ? { ok: true, value: args } : parsed;
    },
  };
}

function withoutNulls(args: unknown): unknown {
  if (!isObject(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

function checkedTool(base: Omit<PlainTool, "parameters">, schema: JsonSchema): Tool {
  try {
    return toolFromPlain({ ...base, parameters: checkedSchema(schema) });
  } catch {
    // The schema is not supported: only the parameter names are checked. Other errors are thrown again.
    return toolFromPlain({ ...base, parameters: looseSchema(schema) });
  }
}

/**
 * Returns the schema for checking arguments here. It has no regular expressions: one from outside could block this process.
 * What the validator would read more strictly than other programs do is loosened.
 */
function checkedSchema(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, ({ pattern: _, patternProperties, oneOf, nullable, ...rest }) => {
    const listed = Array.isArray(rest.enum) ? rest.enum : "const" in rest ? [rest.const] : [""];
    const { enum: _values, const: _value, ...open } = rest;
    return {
      ...(listed.length === 0 || listed.some((value) => typeof value === "object" && value) ? open : rest),
      ...(patternProperties !== undefined && { additionalProperties: true }),
      ...(oneOf !== undefined && { anyOf: rest.anyOf ?? oneOf }),
      ...(nullable === true && typeof rest.type === "string" && { type: [rest.type, "null"] }),
    };
  });
}

/** Removes descriptions, titles and other texts for readers. */
export function schemaWithoutTexts(schema: JsonSchema): JsonSchema {
  return eachSchema(schema, (one) =>
    Object.fromEntries(Object.entries(one).filter(([keyword]) => !WORDS.has(keyword))),
  );
}

/** Reduces a schema that we cannot check to its property names and required properties. */
function looseSchema(schema: JsonSchema): JsonSchema {
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
