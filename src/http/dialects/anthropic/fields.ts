import { isObject } from "../../../protocol/json.ts";
import { refused } from "./errors.ts";

// Reads the fields of a request in Anthropic's words. Null counts as missing, and fields that are not read are ignored.

export type Body = Record<string, unknown>;

function reader<Value>(expected: string, isValue: (value: unknown) => value is Value) {
  return (body: Body, name: string, at = name): Value | undefined => {
    const value = body[name] ?? undefined;
    if (value === undefined || isValue(value)) return value;
    throw refused(at, `Input should be a valid ${expected}`);
  };
}

export const readText = reader("string", (value): value is string => typeof value === "string");
export const readFlag = reader("boolean", (value): value is boolean => typeof value === "boolean");
export const readObject = reader<Body>("dictionary", isObject);
export const readList = reader<unknown[]>("list", Array.isArray);
const readAnyNumber = reader("number", (value): value is number => typeof value === "number");

/** Returns a value that must be there. */
export function required<Value>(value: Value | undefined, at: string): Value {
  if (value === undefined) throw refused(at, "Field required");
  return value;
}

/** Reads a number. Throws if it is out of bounds. */
export function readNumber(
  body: Body,
  name: string,
  { least, most, whole }: { least: number; most?: number; whole?: boolean },
): number | undefined {
  const value = readAnyNumber(body, name);
  if (value === undefined) return undefined;
  if (whole && !Number.isInteger(value)) throw refused(name, "Input should be a valid integer");
  if (value < least) throw refused(name, `Input should be greater than or equal to ${least}`);
  if (most !== undefined && value > most)
    throw refused(name, `Input should be less than or equal to ${most}`);
  return value;
}

/** Returns the objects of a list. Throws if something else is in it. */
export function objectsIn(list: readonly unknown[], at: string): Body[] {
  return list.map((one, index) => {
    if (!isObject(one)) throw refused(`${at}.${index}`, "Input should be a valid dictionary or object");
    return one;
  });
}
