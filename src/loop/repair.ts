import { isObject, type JsonSchema } from "../protocol/json.ts";

export type ReadArguments = { ok: true; value: Record<string, unknown>; repaired: boolean } | { ok: false };

/** Reads a call's arguments. Repairs only what cannot change their meaning. */
export function readArguments(text: string): ReadArguments {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return { ok: true, value: {}, repaired: trimmed !== text };
  const plain = parse(trimmed);
  if (isObject(plain)) return { ok: true, value: plain, repaired: false };
  const mended = typeof plain === "string" ? parse(plain) : parse(mend(trimmed));
  return isObject(mended) ? { ok: true, value: mended, repaired: true } : { ok: false };
}

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
  const value = type === "array" || type === "object" ? parse(text) : undefined;
  if (type === "array" && Array.isArray(value)) return value;
  if (type === "object" && isObject(value)) return value;
  return undefined;
}

/** Removes a Markdown fence and trailing commas, and escapes raw line breaks in strings. Never closes what is open. */
function mend(text: string): string {
  const body = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(text)?.[1] ?? text;
  let result = "";
  let inString = false;
  for (let index = 0; index < body.length; index++) {
    const character = body[index] as string;
    if (inString) {
      if (character === "\\") result += character + (body[++index] ?? "");
      else if (character === "\n") result += "\\n";
      else if (character === "\r") result += "\\r";
      else if (character === "\t") result += "\\t";
      else result += character;
      if (character === '"') inString = false;
      continue;
    }
    if (character === "," && /^\s*[}\]]/.test(body.slice(index + 1, index + 200))) continue;
    if (character === '"') inString = true;
    result += character;
  }
  return result;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller reports it.
  }
}
