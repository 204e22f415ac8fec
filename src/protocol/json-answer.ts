import { z } from "zod";
import { isObject, type JsonSchema } from "./json.ts";

/** What is wrong with an answer that cannot be parsed. */
export const NOT_JSON = "It is not JSON.";

/** Returns what is wrong with an answer in JSON, or undefined. Without a schema it must be an object. */
export function jsonIssue(text: string, schema: JsonSchema | undefined): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return NOT_JSON; // That is the answer.
  }
  if (schema) return issueOf(value, schema);
  return isObject(value) ? undefined : "It is not a JSON object.";
}

/** Returns how a value breaks a schema. A schema that cannot be read here is not checked. */
function issueOf(value: unknown, schema: JsonSchema): string | undefined {
  const reader = readerOf(schema);
  const issue = reader?.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  const path = issue.path.map(String).join(".");
  return `It does not follow the schema: ${path ? `${path}: ` : ""}${issue.message}.`;
}

function readerOf(schema: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(withoutFormats(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined; // It uses keywords that only the vendor knows.
  }
}

/** Formats such as `date-time` are notes for the model. Readers of JSON disagree about them. */
function withoutFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormats);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== "format" || typeof inner !== "string");
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, key === "const" || key === "enum" ? inner : withoutFormats(inner)]),
  );
}
