import { isObject } from "../../protocol/json.ts";

/**
 * Returns a value with every string and key in it valid for vendors: half characters (lone surrogates) and NUL become
 * U+FFFD. A value without them is returned as it is, which is quick: most strings hold one byte per character, and the
 * check for half characters does not read those.
 */
export function wellFormed<Value>(value: Value): Value {
  return clean(value) as Value;
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return cleanList(value);
  return isObject(value) && isPlain(value) ? cleanObject(value) : value;
}

function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\ufffd") : whole;
}

// Copies are made only on the first change, so that a request without one costs a third less.

function cleanList(list: unknown[]): unknown[] {
  let cleaned: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = clean(list[index]);
    if (item === list[index]) continue;
    cleaned ??= [...list];
    cleaned[index] = item;
  }
  return cleaned ?? list;
}

function cleanObject(object: Record<string, unknown>): Record<string, unknown> {
  let cleaned: Map<string, [string, unknown]> | undefined;
  for (const key of Object.keys(object)) {
    const name = cleanText(key);
    const item = clean(object[key]);
    if (name === key && item === object[key]) continue;
    cleaned ??= new Map(Object.entries(object).map((entry) => [entry[0], entry]));
    cleaned.set(key, [name, item]);
  }
  return cleaned ? Object.fromEntries(cleaned.values()) : object;
}

/** URLs, bytes and the like are left alone. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
