import { isObject } from "../../../protocol/json.ts";

/** The arguments of a call, which arrive whole or in pieces with a JSON path each. */
export interface PartialArguments {
  /** Adds arguments that arrived whole. */
  assign(args: Record<string, unknown>): void;
  /** Adds one piece. A path that cannot be followed is ignored. */
  add(piece: unknown): void;
  toJson(): string;
}

type Container = Record<string, unknown> | unknown[];

const MAX_DEPTH = 64;
const MAX_INDEX = 10_000;
const SEGMENT = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/** Collects the arguments of one call. Only own properties are ever read or written, so no path reaches a prototype. */
export function collectArguments(): PartialArguments {
  const root: Record<string, unknown> = Object.create(null);
  const unfinished = new Set<string>();
  return {
    assign(args) {
      for (const [key, value] of Object.entries(args)) if (key !== "__proto__") root[key] = value;
    },
    add(piece) {
      if (!isObject(piece) || typeof piece.jsonPath !== "string") return;
      const value = readValue(piece);
      const segments = parsePath(piece.jsonPath);
      if (value === undefined || !segments) return;
      const goesOn = unfinished.has(piece.jsonPath);
      write(root, segments, (before) =>
        goesOn && typeof before === "string" && typeof value === "string" ? before + value : value,
      );
      if (piece.willContinue === true) unfinished.add(piece.jsonPath);
      else unfinished.delete(piece.jsonPath);
    },
    toJson: () => JSON.stringify(root),
  };
}

function readValue(piece: Record<string, unknown>): unknown {
  if ("nullValue" in piece) return null;
  return piece.stringValue ?? piece.numberValue ?? piece.boolValue;
}

/** Returns the keys and indexes of `$.list[0]['a key']`; undefined if it is no such path, or leads to a prototype. */
function parsePath(path: string): (string | number)[] | undefined {
  const segments: (string | number)[] = [];
  let end = 1;
  SEGMENT.lastIndex = end;
  for (let found = SEGMENT.exec(path); found; found = SEGMENT.exec(path)) {
    const [, name, place, single, double] = found;
    const key = name ?? single?.replace(/\\(.)/g, "$1") ?? double?.replace(/\\(.)/g, "$1");
    if (key === "__proto__" || segments.length === MAX_DEPTH) return undefined;
    segments.push(key ?? Number(place));
    end = SEGMENT.lastIndex;
  }
  return path.startsWith("$") && end === path.length && segments.length > 0 ? segments : undefined;
}

function write(root: Container, segments: (string | number)[], change: (before: unknown) => unknown): void {
  let container = root;
  for (const [at, segment] of segments.entries()) {
    if (!fits(container, segment)) return;
    // `fits` checked the keys: a number is for an array, a name for an object.
    const place = container as Record<string | number, unknown>;
    const before = Object.hasOwn(container, segment) ? place[segment] : undefined;
    const next = segments[at + 1];
    if (next === undefined) {
      place[segment] = change(before);
      return;
    }
    const inner: Container =
      Array.isArray(before) || isObject(before) ? before : typeof next === "number" ? [] : {};
    place[segment] = inner;
    container = inner;
  }
}

/** An array index must exist or be the next one. A gap would let the vendor allocate any amount of memory. */
function fits(container: Container, segment: string | number): boolean {
  if (!Array.isArray(container)) return typeof segment === "string";
  return typeof segment === "number" && segment <= container.length && segment < MAX_INDEX;
}
