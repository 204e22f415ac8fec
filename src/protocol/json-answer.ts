import { z } from "zod";
import { isObject, type JsonSchema, parseJson } from "./json.ts";

/** What is wrong with an answer that cannot be parsed. */
export const NOT_JSON = "It is not JSON.";

/** Returns what is wrong with an answer in JSON, or undefined. Without a schema it must be an object. */
export function jsonIssue(text: string, schema: JsonSchema | undefined): string | undefined {
  const value = parseJson(text);
  if (value === undefined) return NOT_JSON;
  if (schema) return issueOf(value, schema);
  return isObject(value) ? undefined : "It is not a JSON object.";
}

/** Returns how a value breaks a schema. A schema that cannot be read here, or only slowly, is not checked. */
function issueOf(value: unknown, schema: JsonSchema): string | undefined {
  const reader = isQuick(schema) ? readerOf(schema) : undefined;
  const issue = reader?.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  const path = issue.path.map(String).join(".");
  return `It does not follow the schema: ${path ? `${path}: ` : ""}${issue.message}.`;
}

function readerOf(schema: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(checkable(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined; // It uses keywords that only the vendor knows.
  }
}

/**
 * Leaves out formats such as `date-time` and patterns. They are notes for the model: readers of JSON disagree about them, and
 * anybody could send a pattern that takes forever.
 */
function checkable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(checkable);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !isLeftOut(key, inner));
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, key === "const" || key === "enum" ? inner : checkable(inner)]),
  );
}

function isLeftOut(key: string, inner: unknown): boolean {
  // Properties may have these names too, and then stand for a schema.
  if (key === "format" || key === "pattern") return typeof inner === "string";
  return key === "patternProperties" && isObject(inner);
}

const MAX_NODES = 3_000;
/** Each level takes several calls of functions, and a process can only make so many within one another. */
const MAX_LEVELS = 300;
const CHOICES = ["anyOf", "oneOf", "allOf"];

/**
 * Returns false for a schema that is huge once its references are followed, and for one that refers to itself from several
 * choices: each level of a value would be checked twice as often as the one before.
 */
function isQuick(schema: JsonSchema): boolean {
  let nodes = 0;
  let quick = true;
  /** Returns true if the schema refers to itself. */
  function walk(value: unknown, refs: readonly string[], level: number): boolean {
    if (++nodes > MAX_NODES || level > MAX_LEVELS) quick = false;
    if (!quick || typeof value !== "object" || value === null) return false;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === "string" && refs.includes($ref)) return true;
    const target = typeof $ref === "string" ? targetOf(schema, $ref) : undefined;
    const inner = Object.entries(value)
      .filter(([key]) => key !== "$defs" && key !== "definitions")
      .map(([key, one]) => {
        const choices = CHOICES.includes(key) && Array.isArray(one) ? one : [one];
        const recursive = choices.filter((choice) => walk(choice, refs, level + 1)).length;
        if (recursive > 1) quick = false;
        return recursive > 0;
      });
    return (target !== undefined && walk(target, [...refs, String($ref)], level + 1)) || inner.includes(true);
  }
  walk(schema, [], 0);
  return quick;
}

function targetOf(schema: JsonSchema, reference: string): unknown {
  const steps = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), schema);
}
