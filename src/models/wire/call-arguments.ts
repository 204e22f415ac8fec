import { parseJson, parseObject } from "../../protocol/json.ts";

/** True for the text of a whole JSON object. */
export function isWholeObject(text: string): boolean {
  return text.trimEnd().endsWith("}") && parseObject(text) !== undefined;
}

/**
 * Returns the arguments of a call as the text of an object, if that is what the vendor meant. Known mistakes are JSON within
 * a JSON string, `null` or an empty list for no arguments, an empty object before the real ones, and the same arguments twice.
 */
export function repairArguments(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null" || trimmed === "[]") return "{}";
  if (isWholeObject(trimmed)) return trimmed;
  if (trimmed.startsWith("{}") && isWholeObject(trimmed.slice(2))) return trimmed.slice(2).trim();
  const half = trimmed.slice(0, trimmed.length / 2);
  if (half + half === trimmed && isWholeObject(half)) return half;
  const inner = trimmed.startsWith('"') ? parseJson(trimmed) : undefined;
  if (typeof inner === "string" && (inner.trim() === "" || isWholeObject(inner)))
    return repairArguments(inner);
  return text;
}

/** Returns arguments that arrived as a value: an object, or its text. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
