import { isObject } from "../../../protocol/json.ts";
import { refused } from "./errors.ts";

// Fields of a request, checked as OpenAI checks them: null is the same as nothing.

export type Body = Record<string, unknown>;

/** Refuses fields that OpenAI would not know either. */
export function checkFields(body: Body, known: ReadonlySet<string>): void {
  for (const name of Object.keys(body)) {
    if (!known.has(name))
      throw refused(`Unknown parameter: '${name.slice(0, 100)}'.`, {
        param: name.slice(0, 100),
        code: "unknown_parameter",
      });
  }
}

export function readText(body: Body, name: string, at = name): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw wrongType(at, "a string", value);
}

export function readFlag(body: Body, name: string, at = name): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(at, "a boolean", value);
}

export function readObject(body: Body, name: string, at = name): Body | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isObject(value)) return value;
  throw wrongType(at, "an object", value);
}

export function readList(body: Body, name: string, at = name): unknown[] | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw wrongType(at, "an array", value);
}

interface Bounds {
  least?: number;
  most?: number;
  whole?: boolean;
}

export function readNumber(body: Body, name: string, { least, most, whole }: Bounds): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const kind = whole ? "integer" : "decimal";
  if (typeof value !== "number" || (whole && !Number.isInteger(value)))
    throw wrongType(name, whole ? "an integer" : "a decimal", value);
  if (least !== undefined && value < least) {
    throw refused(
      `Invalid '${name}': ${kind} below minimum value. Expected a value >= ${least}, but got ${value} instead.`,
      { param: name, code: `${kind}_below_min_value` },
    );
  }
  if (most !== undefined && value > most) {
    throw refused(
      `Invalid '${name}': ${kind} above maximum value. Expected a value <= ${most}, but got ${value} instead.`,
      { param: name, code: `${kind}_above_max_value` },
    );
  }
  return value;
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

/** The refusal of a word that is none of those there are. */
export function notAmong(value: string, choices: readonly string[], param: string) {
  const supported = choices.map((choice) => `'${choice}'`).join(", ");
  return refused(`Invalid value: '${value.slice(0, 100)}'. Supported values are: ${supported}.`, {
    param,
    code: "invalid_value",
  });
}

/** The refusal of something that is not there. */
export function missing(param: string) {
  return refused(`Missing required parameter: '${param}'.`, { param, code: "missing_required_parameter" });
}

/** The refusal of a value of another kind. */
export function wrongType(param: string, expected: string, value: unknown) {
  return refused(`Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`, {
    param,
    code: "invalid_type",
  });
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "number" && Number.isInteger(value) ? "an integer" : `a ${typeof value}`;
}
