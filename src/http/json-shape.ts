import { Failure } from "../protocol/failure.ts";

/** What a JSON text may contain. */
export interface JsonBounds {
  depth: number;
  keys: number;
  values: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts levels, keys and values in one pass over the bytes, before anything is built from them: a schema takes far longer
 * to refuse a body than this takes to count it. Throws TOO_LARGE or INVALID_INPUT.
 */
export function checkShape(bytes: Uint8Array, bounds: JsonBounds): void {
  let depth = 0;
  let keys = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > bounds.depth)
        throw new Failure("INVALID_INPUT", `The body is nested more than ${bounds.depth} levels deep.`);
      if (++values > bounds.values) throw boundsExceeded("values", bounds.values);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth--;
    } else if (byte === COMMA) {
      if (++values > bounds.values) throw boundsExceeded("values", bounds.values);
    } else if (byte === COLON) {
      if (++keys > bounds.keys) throw boundsExceeded("keys", bounds.keys);
    }
  }
}

/** Returns the place of the quotation mark that closes the string at `start`, or of the last byte. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) return at;
  }
  return bytes.length - 1;
}

/** Returns the failure of a body with too many of something. */
export function boundsExceeded(what: "keys" | "values", most: number): Failure {
  const bound = most.toLocaleString("en-US");
  return new Failure("TOO_LARGE", `The body has more than ${bound} ${what}. Send less at once.`);
}
