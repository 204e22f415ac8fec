import { pauseIfLong } from "../protocol/slices.ts";
import { checkShape, endOfString, type JsonBounds } from "./json-shape.ts";

/**
 * How to build a large value in small steps. Each step is three numbers: what to do, and the first and last byte that it
 * is about.
 */
export type Pieces = Uint32Array<ArrayBuffer>;

const STEP = { object: 0, array: 1, close: 2, members: 3, key: 4, value: 5, plainText: 6 } as const;
/** Values of up to this many bytes are built at once. */
const PIECE_BYTES = 64 * 1024;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Checks a JSON text and cuts it into pieces. Throws a `Failure` for its shape, or what `JSON.parse` throws. */
export function cutJson(bytes: Buffer, bounds: JsonBounds): Pieces {
  checkShape(bytes, bounds);
  JSON.parse(bytes.toString("utf8"));
  return Uint32Array.from(new Cutter(bytes).cut());
}

/** Cuts a text that is known to be JSON. */
class Cutter {
  private readonly bytes: Uint8Array;
  private readonly steps: number[] = [];
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  cut(): number[] {
    this.skipSpace();
    const start = this.at;
    if (!this.value()) this.steps.push(STEP.value, start, this.at);
    return this.steps;
  }

  /** Passes one value. Returns true if it is large, and then has added its steps. */
  private value(): boolean {
    const start = this.at;
    const first = this.bytes[start];
    if (first === OPEN_ARRAY || first === OPEN_OBJECT) return this.container(first === OPEN_OBJECT);
    if (first !== QUOTE) {
      while (this.at < this.bytes.length && isInner(this.bytes[this.at])) this.at++;
      return false;
    }
    this.at = endOfString(this.bytes, start) + 1;
    if (this.at - start <= PIECE_BYTES) return false;
    const plain = isPlain(this.bytes, start + 1, this.at - 1);
    this.steps.push(plain ? STEP.plainText : STEP.value, start, this.at);
    return true;
  }

  private container(isObject: boolean): boolean {
    const start = this.at;
    const mark = this.steps.length;
    /** Small members that have not become a step yet. */
    let from = -1;
    let to = -1;
    this.at++;
    for (;;) {
      this.skipSpace();
      const next = this.bytes[this.at];
      if (next === CLOSE_ARRAY || next === CLOSE_OBJECT) break;
      if (next === COMMA) {
        this.at++;
        continue;
      }
      const [memberStart, before] = [this.at, this.steps.length];
      const keyEnd = isObject ? this.key() : -1;
      if (this.value()) {
        const steps = from === -1 ? [] : [STEP.members, from, to];
        if (isObject) steps.push(STEP.key, memberStart, keyEnd);
        this.steps.splice(before, 0, ...steps);
        from = -1;
        continue;
      }
      if (from === -1) from = memberStart;
      to = this.at;
      if (to - from > PIECE_BYTES) {
        this.steps.push(STEP.members, from, to);
        from = -1;
      }
    }
    this.at++;
    if (this.at - start <= PIECE_BYTES) {
      this.steps.length = mark;
      return false;
    }
    if (from !== -1) this.steps.push(STEP.members, from, to);
    this.steps.splice(mark, 0, isObject ? STEP.object : STEP.array, start, this.at);
    this.steps.push(STEP.close, start, this.at);
    return true;
  }

  /** Passes a key and its colon. Returns the end of the key. */
  private key(): number {
    const end = endOfString(this.bytes, this.at) + 1;
    this.at = end;
    this.skipSpace();
    this.at++;
    this.skipSpace();
    return end;
  }

  private skipSpace(): void {
    while (this.at < this.bytes.length && (this.bytes[this.at] ?? 0) <= 0x20) this.at++;
  }
}

/** True for a byte in a number, `true`, `false` or `null`. */
function isInner(byte = 0): boolean {
  return byte > 0x20 && byte !== COMMA && byte !== CLOSE_ARRAY && byte !== CLOSE_OBJECT;
}

function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH || byte >= 0x80) return false;
  }
  return true;
}

type Container = { list: unknown[] } | { fields: Record<string, unknown>; key: string };

/** Builds a value from its pieces and lets other work have its turn between them. */
export async function buildFromPieces(bytes: Buffer, pieces: Pieces): Promise<unknown> {
  const open: Container[] = [];
  let root: unknown;
  const add = (value: unknown): void => {
    const into = open.at(-1);
    if (!into) root = value;
    else if ("list" in into) into.list.push(value);
    else setField(into.fields, into.key, value);
  };
  for (let index = 0; index < pieces.length; index += 3) {
    const paused = pauseIfLong();
    if (paused) await paused;
    const [step, start = 0, end = 0] = pieces.subarray(index, index + 3);
    if (step === STEP.close) open.pop();
    else if (step === STEP.array) {
      const list: unknown[] = [];
      add(list);
      open.push({ list });
    } else if (step === STEP.object) {
      const fields = {};
      add(fields);
      open.push({ fields, key: "" });
    } else if (step === STEP.plainText) add(bytes.toString("latin1", start + 1, end - 1));
    else if (step === STEP.value) add(JSON.parse(bytes.toString("utf8", start, end)));
    else takePiece(open.at(-1), step === STEP.key, bytes.toString("utf8", start, end));
  }
  return root;
}

/** Takes a key, or small members of the container. */
function takePiece(into: Container | undefined, isKey: boolean, text: string): void {
  if (!into) return;
  if ("list" in into) {
    for (const value of JSON.parse(`[${text}]`) as unknown[]) into.list.push(value);
  } else if (isKey) {
    into.key = JSON.parse(text) as string;
  } else {
    const members = JSON.parse(`{${text}}`) as Record<string, unknown>;
    for (const key of Object.keys(members)) setField(into.fields, key, members[key]);
  }
}

/** Sets an own field, as `JSON.parse` does also for `__proto__`. */
function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") fields[key] = value;
  else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}
