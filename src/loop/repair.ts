import { isObject, type JsonSchema, parseJson } from "../protocol/json.ts";

/** Converts values such as "5" to 5 if the schema wants a number. Only for unambiguous spellings. */
export function coerceToSchema(
  args: Record<string, unknown>,
  schema: JsonSchema,
): Record<string, unknown> | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  let changed = false;
  const result = { ...args };
  for (const [name, value] of Object.entries(args)) {
    const wanted = properties[name];
    if (typeof value !== "string" || !isObject(wanted) || !Object.hasOwn(properties, name)) continue;
    const coerced = coerce(value, wanted.type);
    if (coerced === undefined) continue;
    result[name] = coerced;
    changed = true;
  }
  return changed ? result : undefined;
}

function coerce(text: string, type: unknown): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "number" && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const value = type === "array" || type === "object" ? parseJson(text) : undefined;
  if (type === "array" && Array.isArray(value)) return value;
  if (type === "object" && isObject(value)) return value;
  return undefined;
}
