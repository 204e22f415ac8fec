import { isObject, type JsonSchema, parseJson, parseObject } from "../../../protocol/json.ts";
import { type FittedSchema, fitSchema } from "./fit.ts";
import { unitedObject } from "./merge.ts";
import type { SchemaNode } from "./node.ts";
import type { SchemaProfile } from "./profiles.ts";
import { readSchema } from "./read.ts";

const MAX_DEPTH = 10;
/** A large schema is read less deeply, until it is small enough. */
const ATTEMPTS = [
  { depth: MAX_DEPTH, bytes: 64 * 1024 },
  { depth: 4, bytes: 64 * 1024 },
  { depth: 2, bytes: 256 * 1024 },
];
/** The property that holds a value where a schema is not one of an object. */
const WRAPPER = "value";

/** A schema as a vendor takes it, and how to translate values between the vendor and the original schema. */
export interface LoweredSchema {
  /** Always of an object, with `properties`. */
  schema: JsonSchema;
  /** The vendor can be asked to follow it exactly. */
  strict: boolean;
  /** Puts JSON that follows the original schema into the vendor's words. Text that is not JSON comes back as it is. */
  toWire(json: string): string;
  /** Turns JSON of the vendor into what the original schema asks for. */
  fromWire(json: string): string;
}

export type Lowering = LoweredSchema | { reason: string };

const cache = new WeakMap<SchemaProfile, WeakMap<object, Map<boolean, Lowering>>>();

/** Lowers any JSON Schema to what a vendor takes. Returns the reason if that is impossible. Never throws. */
export function lowerSchema(schema: unknown, profile: SchemaProfile, strict = false): Lowering {
  if (!isObject(schema)) return lower(schema, profile, strict);
  const ofProfile = cache.get(profile) ?? new WeakMap<object, Map<boolean, Lowering>>();
  cache.set(profile, ofProfile);
  const known = ofProfile.get(schema) ?? new Map<boolean, Lowering>();
  ofProfile.set(schema, known);
  const lowered = known.get(strict) ?? lower(schema, profile, strict);
  known.set(strict, lowered);
  return lowered;
}

function lower(schema: unknown, profile: SchemaProfile, strict: boolean): Lowering {
  if (schema !== undefined && schema !== null && !isObject(schema) && typeof schema !== "boolean")
    return { reason: "its parameters are not described by a JSON Schema" };
  for (const { depth, bytes } of ATTEMPTS) {
    const node = readSchema(schema ?? {}, depth);
    if (!node) return { reason: "its schema accepts no arguments" };
    const object = objectOf(node);
    const root = object ?? wrapped(node);
    const brief = depth < MAX_DEPTH;
    const exact = strict && profile.strictFormats ? fitSchema(root, profile, { strict, brief }) : undefined;
    const fitted = exact ?? fitSchema(root, profile, { brief });
    if (!fitted || JSON.stringify(fitted.schema).length > bytes) continue;
    const strictly = exact !== undefined;
    return { schema: fitted.schema, strict: strictly, ...translators(fitted, object === undefined) };
  }
  return { reason: "its schema is too large" };
}

/** Returns an object schema for the top level. Undefined if only other values are valid. */
function objectOf(node: SchemaNode): SchemaNode | undefined {
  const { anyOf, title, description, ...rest } = node;
  if (anyOf) {
    const objects = anyOf.filter((one) => one.type?.includes("object"));
    return objects.length > 0 ? unitedObject(objects, { title, description }) : undefined;
  }
  const { type, properties = new Map<string, SchemaNode>(), required, additionalProperties } = rest;
  const only = type?.every((one) => one === "null") ?? true;
  if (!only && !type?.includes("object")) return undefined;
  return {
    type: ["object"],
    ...(title && { title }),
    ...(description && { description }),
    properties,
    ...(required && { required }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

function wrapped(node: SchemaNode): SchemaNode {
  return {
    type: ["object"],
    properties: new Map([[WRAPPER, node]]),
    required: [WRAPPER],
    additionalProperties: false,
  };
}

// Values

function translators(fitted: FittedSchema, wrap: boolean): Pick<LoweredSchema, "toWire" | "fromWire"> {
  const { schema, names, optional } = fitted;
  if (!wrap && names.size === 0 && optional.size === 0) return { toWire: same, fromWire: same };
  const back = new Map([...names].map(([name, wire]) => [wire, name]));

  /** Walks a value together with the schemas that may describe it. Only names that a schema lists are translated. */
  function walk(value: unknown, schemas: readonly JsonSchema[], from: boolean): unknown {
    const all = schemas.flatMap(alternatives);
    if (Array.isArray(value)) {
      const items = all.flatMap((one) => (isObject(one.items) ? [one.items] : []));
      return value.map((one) => walk(one, items, from));
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
      const wire = from ? key : (names.get(key) ?? key);
      const listed = all.flatMap(({ properties }) => propertyOf(properties, wire));
      const rest = all.flatMap(({ additionalProperties: open }) => (isObject(open) ? [open] : []));
      if (listed.length === 0) return [[key, walk(one, rest, from)]];
      if (from && one === null && listed.some((schema) => optional.has(schema))) return [];
      return [[from ? (back.get(key) ?? key) : wire, walk(one, listed, from)]];
    });
    return Object.fromEntries(entries);
  }

  return {
    toWire(json) {
      const value = parseJson(json);
      if (value === undefined) return json;
      const inner = wrap ? { [WRAPPER]: value } : value;
      return JSON.stringify(walk(inner, [schema], false));
    },
    fromWire(json) {
      const value = parseObject(json);
      if (!value) return json;
      const own = walk(value, [schema], true);
      return JSON.stringify(wrap && isObject(own) && Object.hasOwn(own, WRAPPER) ? own[WRAPPER] : own);
    },
  };
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? [schema, ...anyOf.filter(isObject).flatMap(alternatives)] : [schema];
}

function propertyOf(properties: unknown, name: string): JsonSchema[] {
  const found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(found) ? [found] : [];
}

function same(json: string): string {
  return json;
}
