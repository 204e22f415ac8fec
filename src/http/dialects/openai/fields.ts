import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { refused } from "./errors.ts";

// Reads the fields of a request as OpenAI does: null counts as missing.

export type Body = Record<string, unknown>;

/** Returns the fields that are not among those named, for vendors that may know them. */
export function otherFields(body: Body, known: ReadonlySet<string>): JsonObject {
  const others = Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null);
  return Object.fromEntries(others) as JsonObject;
}

/** Fields that both of OpenAI's dialects have and that mean something to the vendor alone. */
const SHARED: ReadonlySet<string> = new Set([
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "service_tier",
]);

/** Returns those of the fields that the other dialect of OpenAI's has too. */
export function sharedFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => SHARED.has(name)));
}

/** Makes a reader of optional fields of one type. It throws for a value of another type. */
function reader<Value>(expected: string, isValue: (value: unknown) => value is Value) {
  return (body: Body, name: string, at = name): Value | undefined => {
    const value = body[name] ?? undefined;
    if (value === undefined || isValue(value)) return value;
    throw wrongType(at, expected, value);
  };
}

export const readText = reader("a string", (value): value is string => typeof value === "string");
const readBoolean = reader("a boolean", (value): value is boolean => typeof value === "boolean");
export const readObject = reader<Body>("an object", isObject);
export const readList = reader<unknown[]>("an array", Array.isArray);

/** Reads JSON that is sent as text. Clients of Ollama send it as it is. */
export function readJsonText(body: Body, name: string, at: string): string | undefined {
  const value = body[name];
  return isObject(value) ? JSON.stringify(value) : readText(body, name, at);
}

/** Reads a text that must be there, below `at`. */
export function requireText(body: Body, name: string, at: string): string {
  const value = readText(body, name, `${at}.${name}`);
  if (value === undefined) throw missing(`${at}.${name}`);
  return value;
}

/** Reads the name of a schema or tool. */
export function requireName(body: Body, at: string, pattern: RegExp): string {
  const name = requireText(body, "name", at);
  if (pattern.test(name)) return name;
  throw refused(
    `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    `${at}.name`,
    "invalid_value",
  );
}

/** Throws for a list with more items than allowed. */
export function checkLength(list: unknown[] | undefined, name: string, most: number): void {
  const length = list?.length ?? 0;
  if (length <= most) return;
  throw refused(
    `Invalid '${name}': array too long. Expected an array with maximum length ${most}, but got an array with length ${length} instead.`,
    name,
    "array_above_max_length",
  );
}

/** Throws for an empty list. */
export function checkNotEmpty(list: unknown[], at: string): void {
  if (list.length > 0) return;
  throw refused(
    `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    at,
    "empty_array",
  );
}

/** Reads a flag. Programs that fill in forms send the word. */
export function readFlag(body: Body, name: string, at = name): boolean | undefined {
  const value = body[name];
  return value === "true" || value === "false" ? value === "true" : readBoolean(body, name, at);
}

interface Bounds {
  least?: number;
  most?: number;
  whole?: boolean;
}

export function readNumber(body: Body, name: string, bounds: Bounds): number | undefined {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, whole } = bounds;
  const value = numberIn(body[name] ?? undefined);
  if (value === undefined) return undefined;
  const kind = whole ? "integer" : "decimal";
  if (typeof value !== "number" || (whole && !Number.isInteger(value)))
    throw wrongType(name, whole ? "an integer" : "a decimal", value);
  const bound = value < least ? "below minimum" : value > most ? "above maximum" : undefined;
  if (bound === undefined) return value;
  const [sign, limit, code] = value < least ? [">=", least, "below_min"] : ["<=", most, "above_max"];
  throw refused(
    `Invalid '${name}': ${kind} ${bound} value. Expected a value ${sign} ${limit}, but got ${value} instead.`,
    name,
    `${kind}_${code}_value`,
  );
}

/** Returns the number in a text: programs whose settings are texts send them as they are. */
function numberIn(value: unknown): unknown {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

export function readChoice<Choice extends string>(
  body: Body,
  name: string,
  choices: readonly Choice[],
  at = name,
): Choice | undefined {
  const value = readText(body, name, at);
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw notAmong(value, choices, at);
}

/** Refuses a value that is not one of the choices. */
export function notAmong(value: string, choices: readonly string[], param: string) {
  const supported = choices.map((choice) => `'${choice}'`).join(", ");
  return refused(
    `Invalid value: '${value.slice(0, 100)}'. Supported values are: ${supported}.`,
    param,
    "invalid_value",
  );
}

/** Refuses a request without a required field. */
export function missing(param: string) {
  return refused(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
}

/** Refuses a value of another type. */
export function wrongType(param: string, expected: string, value: unknown) {
  return refused(
    `Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`,
    param,
    "invalid_type",
  );
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "number" && Number.isInteger(value) ? "an integer" : `a ${typeof value}`;
}
