export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
/** A JSON Schema document. Only validators read it. */
export type JsonSchema = { [key: string]: unknown };

/** Parses JSON text to an object. Returns undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
