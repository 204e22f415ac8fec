import { isObject } from "../../protocol/json.ts";

/**
 * Returns a value with every string and key in it valid Unicode: half characters (lone surrogates) become U+FFFD. A value
 * without them is returned as it is, which is quick: most strings hold one byte per character, and the check for half
 * characters does not read those.
 */
export function wellFormed<Value>(value: Value): Value {
  return clean(value, whole) as Value;
}

/** Returns a value with every NUL in its strings as U+FFFD, for vendors that refuse it. The value itself if there is none. */
export function withoutNul<Value>(value: Value): Value {
  return clean(value, (text) => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text)) as Value;
}

type CleanText = (text: string) => string;

function whole(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

function clean(value: unknown, cleanText: CleanText): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return cleanList(value, cleanText);
  return isObject(value) && isPlain(value) ? cleanObject(value, cleanText) : value;
}

// Copies are made only on the first change, so that a request without one costs a third less.

function cleanList(list: unknown[], cleanText: CleanText): unknown[] {
  let cleaned: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = clean(list[index], cleanText);
    if (item === list[index]) continue;
    cleaned ??= [...list];
    cleaned[index] = item;
  }
  return cleaned ?? list;
}

function cleanObject(object: Record<string, unknown>, cleanText: CleanText): Record<string, unknown> {
  let cleaned: Map<string, [string, unknown]> | undefined;
  for (const key of Object.keys(object)) {
    const name = cleanText(key);
    const item = clean(object[key], cleanText);
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
