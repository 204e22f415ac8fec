import { CountedSet } from "../../protocol/counted-set.ts";
import { isSearchable } from "../../protocol/hidden.ts";
import { type Mark, plainMark } from "./mark.ts";

/** Shorter values could be any word, unless they have letters and digits. */
const SHORTEST_WORD = 12;
const MIXED = /[A-Za-z].*\d|\d.*[A-Za-z]/;
const MAX_RECENT = 200;

/** Secrets of this process, added by each app instance that uses them. */
const own = new CountedSet();
/** Recently used secrets, such as a person's key for a vendor. The oldest are dropped. */
const recent = new Set<string>();

/** Removes these values from every text from now on. Returns a function that stops it. */
export function knowSecrets(values: Iterable<string>): () => void {
  const plain = encodingsOf(values);
  return own.add([...plain, ...plain.flatMap(bytesOf)]);
}

/** Removes these values from every text until enough newer ones replace them. */
export function notePassingSecrets(values: Iterable<string>): void {
  for (const value of encodingsOf(values)) {
    recent.delete(value);
    recent.add(value);
  }
  for (const oldest of recent) {
    if (recent.size <= MAX_RECENT) break;
    recent.delete(oldest);
  }
}

/** Removes known secrets. */
export function redactKnown(text: string, mark: Mark = plainMark): string {
  let clean = text;
  for (const values of [own.values(), recent])
    for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, mark("key"));
  return clean;
}

/** Returns each value as it is and URL-encoded, longest first, so that no part of one remains. */
function encodingsOf(values: Iterable<string>): string[] {
  const encoded = [...values]
    .filter((value) => isSearchable(value) && (value.length >= SHORTEST_WORD || MIXED.test(value)))
    .filter((value) => new Set(value).size > 4)
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
  return [...new Set(encoded)].sort((one, other) => other.length - one.length);
}

/** A shorter piece of Base64 could appear in any text. */
const SHORTEST_CODE = 16;

/**
 * Returns a value in hexadecimal and in Base64, as it appears in a header for basic authentication or in a dump. In Base64 three bytes
 * become four letters, so what is before the value decides on one of three spellings; the letters at its borders have bits of
 * both.
 */
function bytesOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const codes = [0, 1, 2].flatMap((before) => {
    const code = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const whole = code.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return whole.length < SHORTEST_CODE ? [] : [whole, whole.replaceAll("-", "+").replaceAll("_", "/")];
  });
  return [...new Set([hex, hex.toUpperCase(), ...codes])];
}
