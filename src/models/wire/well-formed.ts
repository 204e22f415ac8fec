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

function cleanList(list: unknown[]): unknown[] {
  let cleaned: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const next = clean(item);
    if (next === item) continue;
    cleaned ??= [...list];
    cleaned[index] = next;
  }
  return cleaned ?? list;
}

function cleanObject(object: Record<string, unknown>): Record<string, unknown> {
  let changed = false;
  const entries = Object.entries(object).map(([key, item]): [string, unknown] => {
    const entry: [string, unknown] = [cleanText(key), clean(item)];
    changed ||= entry[0] !== key || entry[1] !== item;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : object;
}

/** URLs, bytes and the like are left alone. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
