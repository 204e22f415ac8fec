import { isObject } from "../../../protocol/json.ts";
import { words } from "./problem.ts";

/** Something that is wrong at a place of a schema. */
export interface SchemaFault {
  /** Keys from the top: `properties`, `tags`, `items`. */
  path: string[];
  what: string;
}

type Schema = Record<string, unknown>;
export type Draft = "2020-12" | "draft-07";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];
const LISTS = ["anyOf", "oneOf", "allOf"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const SINGLES = words(`
  additionalProperties not if then else contains propertyNames additionalItems unevaluatedProperties
  unevaluatedItems
`);
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const STRINGS = ["$ref", "$id", "$schema", "$comment", "title", "description", "format", "pattern"];

/** Calls back for a schema and every schema inside of it. Values of `enum`, `const` and `default` are not schemas. */
export function eachSchema(
  schema: unknown,
  visit: (node: Schema, path: string[]) => void,
  path: string[] = [],
): void {
  if (!isObject(schema)) return;
  visit(schema, path);
  for (const key of MAPS)
    if (isObject(schema[key]))
      for (const [name, inner] of Object.entries(schema[key])) eachSchema(inner, visit, [...path, key, name]);
  for (const key of [...SINGLES, "items"]) eachSchema(schema[key], visit, [...path, key]);
  for (const key of [...LISTS, "prefixItems", "items"]) {
    const list = schema[key];
    if (Array.isArray(list))
      for (const [at, inner] of list.entries()) eachSchema(inner, visit, [...path, key, String(at)]);
  }
}

/** Returns what makes a schema invalid by its draft. */
export function invalidByDraft(schema: unknown, draft: Draft): SchemaFault[] {
  const faults: SchemaFault[] = [];
  eachSchema(schema, (node, path) => {
    const bad = (key: string, what: string) => void faults.push({ path: [...path, key], what });
    if (!isType(node.type)) bad("type", `${JSON.stringify(node.type)} is not a type`);
    for (const key of MAPS)
      if (key in node && !(isObject(node[key]) && Object.values(node[key]).every(isSchema)))
        bad(key, "is not an object of schemas");
    for (const key of SINGLES) if (key in node && !isSchema(node[key])) bad(key, "is not a schema");
    for (const key of LISTS)
      if (key in node && !(Array.isArray(node[key]) && node[key].length > 0 && node[key].every(isSchema)))
        bad(key, "is not a list of schemas");
    if ("items" in node && !isSchema(node.items) && !(draft === "draft-07" && isSchemaList(node.items)))
      bad("items", "is not a schema");
    if ("prefixItems" in node && !isSchemaList(node.prefixItems))
      bad("prefixItems", "is not a list of schemas");
    for (const key of NUMBERS) if (key in node && typeof node[key] !== "number") bad(key, "is not a number");
    for (const key of COUNTS)
      if (key in node && !(Number.isInteger(node[key]) && Number(node[key]) >= 0)) bad(key, "is not a count");
    for (const key of STRINGS) if (key in node && typeof node[key] !== "string") bad(key, "is not a string");
    if ("required" in node && !isStringList(node.required)) bad("required", "is not a list of names");
    if ("enum" in node && !(Array.isArray(node.enum) && node.enum.length > 0)) bad("enum", "is not a list");
    if ("uniqueItems" in node && typeof node.uniqueItems !== "boolean")
      bad("uniqueItems", "is not a boolean");
    if (typeof node.pattern === "string" && !isPattern(node.pattern))
      bad("pattern", "is not a regular expression");
    if (typeof node.$ref === "string" && !resolves(schema, node.$ref))
      bad("$ref", `${node.$ref} leads nowhere`);
  });
  return faults;
}

function isType(type: unknown): boolean {
  if (type === undefined) return true;
  const names = Array.isArray(type) ? type : [type];
  return (
    names.length > 0 && new Set(names).size === names.length && names.every((name) => TYPES.includes(name))
  );
}

function isSchema(value: unknown): boolean {
  return isObject(value) || typeof value === "boolean";
}

function isSchemaList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema);
}

function isStringList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === "string") &&
    new Set(value).size === value.length
  );
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false; // That is the answer.
  }
}

/** Only references within the schema can be followed. */
function resolves(root: unknown, ref: string): boolean {
  if (ref === "#") return true;
  if (!ref.startsWith("#/")) return false;
  let node: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    node = isObject(node) || Array.isArray(node) ? (node as Schema)[key] : undefined;
  }
  return isSchema(node);
}

const TOP_COMBINATORS = ["oneOf", "anyOf", "allOf", "enum", "not"];

/** Returns what OpenAI refuses in a function's schema. The first fault is what its error names. */
export function refusedByOpenAI(schema: unknown): SchemaFault[] {
  if (schema === undefined || schema === null) return [];
  const top = isObject(schema) ? schema : {};
  if (top.type !== "object") {
    const type = top.type === undefined ? "None" : String(top.type);
    return [{ path: [], what: `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.` }];
  }
  const faults: SchemaFault[] = [];
  if (TOP_COMBINATORS.some((key) => key in top)) {
    const what = `schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`;
    faults.push({ path: [], what });
  }
  if (!isObject(top.properties))
    faults.push({ path: [], what: "In context=(), object schema missing properties." });
  eachSchema(schema, (node, path) => {
    const types = Array.isArray(node.type) ? node.type : [node.type];
    if (types.includes("array") && !isSchema(node.items))
      faults.push({ path, what: `In context=${context(path)}, array schema missing items.` });
  });
  for (const { path, what } of invalidByDraft(schema, "2020-12"))
    faults.push({ path, what: `In context=${context(path)}, ${what}.` });
  return faults;
}

const NOT_STRICT = words(`
  allOf oneOf not if then else dependentRequired dependentSchemas patternProperties
`);

/** Returns what OpenAI's strict mode refuses besides. */
export function refusedByStrictMode(schema: unknown): SchemaFault[] {
  const faults: SchemaFault[] = [];
  eachSchema(schema, (node, path) => {
    const bad = (what: string) => void faults.push({ path, what: `In context=${context(path)}, ${what}` });
    for (const key of NOT_STRICT) if (key in node) bad(`'${key}' is not permitted.`);
    const typed = ["type", "$ref", "anyOf", "enum", "const"].some((key) => key in node);
    if (!typed && !("$defs" in node)) bad("schema must have a 'type' key.");
    const types = Array.isArray(node.type) ? node.type : [node.type];
    if (!types.includes("object")) return;
    if (node.additionalProperties !== false)
      bad("'additionalProperties' is required to be supplied and to be false.");
    const required = Array.isArray(node.required) ? node.required : [];
    const missing = Object.keys(isObject(node.properties) ? node.properties : {}).filter(
      (key) => !required.includes(key),
    );
    if (missing.length > 0)
      bad(
        `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing[0]}'.`,
      );
  });
  return faults;
}

function context(path: readonly string[]): string {
  if (path.length === 0) return "()";
  return `(${path.map((key) => `'${key}'`).join(", ")}${path.length === 1 ? "," : ""})`;
}
