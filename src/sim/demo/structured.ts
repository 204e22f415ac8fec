import { isObject, parseJson } from "../../protocol/json.ts";

/** Answers a question that asks for JSON in words with a sample. Undefined for other questions. */
export function answerInJson(question: string): string | undefined {
  const schema = /\bJSON Schema\b[^\n]*:\n(\{[\s\S]*\})\s*$/.exec(question)?.[1];
  if (schema !== undefined) {
    const root = parseJson(schema);
    return JSON.stringify(sampleOf(root, isObject(root) ? root : {}, 0));
  }
  return /\bas one JSON object\b[^\n]*$/.test(question)
    ? '{"answer":"This is the offline demo model."}'
    : undefined;
}

const MAX_DEPTH = 8;

/** Returns the simplest value that fits most schemas. */
function sampleOf(schema: unknown, root: Record<string, unknown>, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  const inner = (one: unknown) => sampleOf(one, root, depth + 1);
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (typeof schema.$ref === "string") return inner(resolve(schema.$ref, root));
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const options = schema[key];
    if (Array.isArray(options)) return inner(options[0]);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "string") return "demo".padEnd(Number(schema.minLength ?? 0), ".");
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "boolean") return false;
  if (type === "null") return null;
  if (type === "array")
    return Array.from({ length: Number(schema.minItems ?? 1) }, () => inner(schema.items));
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)]));
}

/** Follows a reference within the document: `#/$defs/city`. */
function resolve(reference: string, root: Record<string, unknown>): unknown {
  let found: unknown = root;
  for (const step of reference.split("/").slice(1)) found = isObject(found) ? found[step] : undefined;
  return found;
}
