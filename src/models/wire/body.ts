import { createParser, type EventSourceParser } from "eventsource-parser";
import { Failure } from "../../protocol/failure.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../protocol/json.ts";
import type { Dialect, DialectContext, WireRequest } from "../../protocol/provider.ts";

/** A JSON text in pieces: strings, or UTF-8. */
type JsonPieces = readonly (string | Uint8Array)[];

/** The JSON text of lists that are part of many requests. They are valid Unicode. */
const texts = new WeakMap<object, JsonPieces>();

/** Keeps the JSON text of a list, so that no request that holds it has to encode it again. The list must not be changed. */
export function keepText<List extends readonly object[]>(
  list: List,
  pieces: JsonPieces = [JSON.stringify(list)],
): List {
  texts.set(list, pieces);
  return list;
}

/** Returns a body that is typed by a vendor's SDK as the JSON that it is: valid Unicode, without undefined fields and what the model refuses. */
export function jsonBody(body: object, context: DialectContext): JsonObject {
  const fields = Object.entries(body).flatMap(([name, value]): [string, Json][] =>
    value === undefined ? [] : [[wellFormed(name), texts.has(value) ? value : wellFormed(value)]],
  );
  const json: JsonObject = Object.fromEntries(fields);
  for (const refused of context.quirks.refuses ?? []) {
    const [path = "", value] = refused.split("=");
    remove(json, path.split("."), value);
  }
  return json;
}

/** Removes a field, or only one value of it, and objects that are empty without it. */
function remove(
  parent: Record<string, unknown>,
  [name = "", ...rest]: string[],
  refused: string | undefined,
): void {
  const value = parent[name];
  if (rest.length === 0) {
    if (refused === undefined || value === refused) delete parent[name];
  } else if (isObject(value)) {
    remove(value, rest, refused);
    if (Object.keys(value).length === 0) delete parent[name];
  }
}

/** Encodes a request as JSON, or as a form if it has files. */
export async function encodeBody({
  body,
  files = [],
}: WireRequest): Promise<{ contentType: string; body: string | Uint8Array<ArrayBuffer> }> {
  if (files.length === 0) return { contentType: "application/json", body: encodeJson(body) };
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  for (const { field, name, mimeType, data } of files) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    form.append(field, new Blob([bytes], { type: mimeType }), name);
  }
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { contentType, body: new Uint8Array(await encoded.arrayBuffer()) };
}

function encodeJson(body: JsonObject): string | Uint8Array<ArrayBuffer> {
  const pieces: (string | Uint8Array)[] = [];
  for (const [name, value] of Object.entries(body)) {
    const kept = typeof value === "object" && value !== null ? texts.get(value) : undefined;
    const text = kept ?? [JSON.stringify(value)];
    if (text[0] !== undefined)
      pieces.push(`${pieces.length > 0 ? "," : "{"}${JSON.stringify(name)}:`, ...text);
  }
  pieces.push(pieces.length > 0 ? "}" : "{}");
  if (pieces.every((piece) => typeof piece === "string")) return pieces.join("");
  return Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

/** Joins packets to one text, up to the limit. `complete` is false if it was cut or the connection broke. */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  onChunk: () => void,
): Promise<{ text: string; complete: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let left = limit;
  try {
    for await (const chunk of chunks) {
      onChunk();
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      left -= chunk.length;
      if (left < 0) return { text, complete: false };
    }
  } catch {
    // The part before the break may still say what is wrong.
    return { text, complete: false };
  }
  return { text: text + decoder.decode(), complete: true };
}

export type BodyKind = "json" | "events" | "html";

const BRACE = 0x7b;
const BRACKET = 0x5b;
const LESS_THAN = 0x3c;
/** White space, and the three bytes of a byte order mark. */
const INSIGNIFICANT = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Detects where a body begins and what it is from its first significant byte, because headers lie: vendors send JSON in
 * place of a stream and streams labeled as JSON, and proxies send HTML pages with status 200. Undefined for blank input.
 */
export function recognize(chunk: Uint8Array): { at: number; kind: BodyKind } | undefined {
  const at = chunk.findIndex((byte) => !INSIGNIFICANT.has(byte));
  if (at === -1) return undefined;
  const first = chunk[at];
  if (first === BRACE || first === BRACKET) return { at, kind: "json" };
  return { at, kind: first === LESS_THAN ? "html" : "events" };
}

/** Cuts bytes into frames as they arrive: server-sent events, or lines. */
export interface FrameReader {
  /** Throws a `Failure` if a line or event exceeds the limit. Nothing may be pushed after that. */
  push(chunk: Uint8Array): void;
  /** Ends the input and emits a last frame that nothing followed. */
  end(): void;
}

export interface FrameReaderOptions {
  onFrame(data: string, event: string | undefined): void;
  /** The longest line or event that is kept, in characters. */
  maxBufferBytes?: number;
}

const DEFAULT_MAX_BUFFER_BYTES = 32 * 1024 * 1024;

/**
 * An event that begins where a blank line should be: some gateways send only one line break between events. Within one JSON
 * value, nothing that was closed is followed by something that opens.
 */
const UNSEPARATED = /[}\]]\r?\n(?=data: ?[{[]|event: ?\S+\r?\ndata:)/;
const ALL_UNSEPARATED = new RegExp(UNSEPARATED, "g");
/** The end of a packet in which such an event may have begun. */
const MAY_BEGIN = /(?<=[}\]]\r?\n)(?:e(?:v|ve|ven|vent)?|(?:event: ?\S*\r?\n?)?(?:d(?:a|at|ata|ata: ?)?)?)$/;
const MOST_HELD = 200;

/** Creates the reader for a dialect's streams. */
export function createFrameReader(
  { sendsLines }: Pick<Dialect, "sendsLines">,
  options: FrameReaderOptions,
): FrameReader {
  return sendsLines ? createLineReader(options) : createSseReader(options);
}

/** Creates a reader for packets of any size. It drops comments and a byte order mark. */
export function createSseReader(options: FrameReaderOptions): FrameReader {
  return new Reader(options);
}

/** A class because this is a hot path: closures per stream would be spread over memory. */
class Reader implements FrameReader {
  readonly #parser: EventSourceParser;
  #overflowed = false;
  /** The end of what the parser has, unless it was the end of an event. */
  #tail = "";
  /** What it gets with the next packet, which shows whether an event begins there. */
  #held = "";
  /** Set if the last packet may end within a character, and before the first, which may begin with a byte order mark. */
  #decoder: TextDecoder | undefined = new TextDecoder();

  constructor({ onFrame, maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES }: FrameReaderOptions) {
    this.#parser = createParser({
      maxBufferSize: maxBufferBytes,
      onEvent: ({ data, event }) => {
        if (data.includes("\n")) for (const part of eventsIn(data)) onFrame(part, event);
        else onFrame(data, event);
      },
      // Other errors are fields that the standard says to ignore.
      onError: ({ type, field, value = "", line = "" }) => {
        if (type === "max-buffer-size-exceeded") this.#overflowed = true;
        // Servers built on llama.cpp send an error in a separate field, and gateways write theirs into a stream as it is.
        else if (field === "error") onFrame(value, "error");
        else if (isJson(line)) onFrame(line, undefined);
      },
    });
  }

  push(chunk: Uint8Array): void {
    this.#feed(this.#decode(chunk));
  }

  end(): void {
    this.#feed(`${this.#decoder?.decode() ?? ""}\n\n`);
  }

  #decode(chunk: Uint8Array): string {
    const endsWhole = (chunk.at(-1) ?? 0) < 0x80;
    if (endsWhole && !this.#decoder) return asBuffer(chunk).toString();
    this.#decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    const text = this.#decoder.decode(chunk, STREAMING);
    if (endsWhole && chunk.length > 0) this.#decoder = undefined;
    return text;
  }

  #feed(text: string): void {
    if (text === "" || this.#overflowed) return;
    const joined = this.#tail + this.#held + text;
    const endsEvent = text.endsWith("\n\n");
    const held = endsEvent ? "" : (MAY_BEGIN.exec(joined.slice(-MOST_HELD))?.[0] ?? "");
    // The first check is cheap, and most packets hold one event.
    const separated =
      joined.includes("\ndata:") && UNSEPARATED.test(joined)
        ? joined.replace(ALL_UNSEPARATED, "$&\n")
        : joined;
    const ready = separated.slice(this.#tail.length, separated.length - held.length);
    this.#tail = endsEvent ? "" : joined.slice(0, joined.length - held.length).slice(-3);
    this.#held = held;
    this.#parser.feed(ready);
    if (this.#overflowed) throw tooLong();
  }
}

function tooLong(): Failure {
  return new Failure("UPSTREAM_ERROR", "The model's provider sent an event that is too large to read.", {
    retryable: false,
  });
}

/** Creates a reader for one JSON value per line (NDJSON), in packets of any size. */
export function createLineReader({
  onFrame,
  maxBufferBytes = DEFAULT_MAX_BUFFER_BYTES,
}: FrameReaderOptions): FrameReader {
  const decoder = new TextDecoder();
  let unfinished: string[] = [];
  let size = 0;
  const finish = () => {
    const line = unfinished.join("").trim();
    unfinished = [];
    size = 0;
    if (line !== "") onFrame(line, undefined);
  };
  const feed = (text: string) => {
    for (const [at, piece] of text.split("\n").entries()) {
      if (at > 0) finish();
      size += piece.length;
      if (size > maxBufferBytes) throw tooLong();
      unfinished.push(piece);
    }
  };
  return {
    push: (chunk) => feed(decoder.decode(chunk, STREAMING)),
    end() {
      feed(decoder.decode());
      finish();
    },
  };
}

/** Returns the events in the data of one: its lines, if they are JSON and all of them together are not. */
function eventsIn(data: string): string[] {
  const lines = data.split("\n").filter((line) => line !== "");
  return !isJson(data) && lines.every((line) => line.startsWith("[DONE]") || isJson(line)) ? lines : [data];
}

/** True for an object or a list. */
function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && parseJson(text) !== undefined;
}

const STREAMING = { stream: true };

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

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
