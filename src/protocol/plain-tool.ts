import { z } from "zod";
import { isObject, type JsonSchema } from "./json.ts";
import { defineTool, type Effect, parseWith, type Retry, type Tool, type ToolContext } from "./tool.ts";

const EFFECTS: readonly unknown[] = ["none", "read", "write", "network"] satisfies Effect[];
const RETRIES: readonly unknown[] = ["pure", "idempotent", "unsafe"] satisfies Retry[];
const NAME = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/;

/** A tool without any import of ours: its parameters are a JSON Schema. */
export interface PlainTool {
  name: string;
  description: string;
  effect: Effect;
  parameters?: JsonSchema;
  run(args: unknown, context: ToolContext): unknown;
  /** `unsafe` when left out: nobody has said that repeating it does no harm. */
  retry?: Retry;
  trust?: "trusted" | "untrusted";
  timeoutMs?: number;
  limit?: string;
  parallel?: boolean;
  cacheSeconds?: number;
}

/** Makes a tool of a plain object. Throws an error that names the field which is wrong. */
export function toolFromPlain(plain: PlainTool): Tool {
  if (typeof plain.run !== "function") throw new Error("run: a function is needed");
  const parameters = closed(plain.parameters ?? { type: "object", properties: {} });
  if (parameters.type !== "object")
    throw new Error('parameters: a JSON Schema with "type": "object" is needed');
  const input = z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]);
  const tool = defineTool({
    name: plain.name,
    description: plain.description,
    effect: plain.effect,
    retry: plain.retry ?? "unsafe",
    input,
    run: (args, context) => plain.run(args, context),
    trust: plain.trust,
    timeoutMs: plain.timeoutMs,
    limit: plain.limit,
    parallel: plain.parallel,
    cacheSeconds: plain.cacheSeconds,
  });
  // The author may have opened the schema to other keys on purpose; `defineTool` would close it.
  const made = { ...tool, parameters, parse: (args: unknown) => parseWith(input, args) };
  checkTool(made);
  return made;
}

/** Throws an error that names the field which keeps this from being a tool. */
export function checkTool(tool: Tool): void {
  const complain = (field: string, wanted: string) => {
    throw new Error(`${field}: ${wanted}`);
  };
  if (typeof tool.name !== "string" || !NAME.test(tool.name)) {
    complain("name", "a letter, then at most 63 letters, digits, dots, dashes and underscores");
  }
  const wrongAlias = tool.aliases.find((alias) => !NAME.test(alias));
  if (wrongAlias !== undefined) complain("aliases", `"${wrongAlias}" is no name for a tool`);
  if (typeof tool.description !== "string" || tool.description.trim() === "") {
    complain("description", "a sentence that tells the model what the tool is for");
  }
  if (!EFFECTS.includes(tool.effect)) complain("effect", "one of none, read, write, network");
  if (!RETRIES.includes(tool.retry)) complain("retry", "one of pure, idempotent, unsafe");
  if (tool.trust !== "trusted" && tool.trust !== "untrusted") complain("trust", "trusted or untrusted");
  const { timeoutMs } = tool;
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    complain("timeoutMs", "a number of milliseconds above 0");
  }
  const { cacheSeconds } = tool;
  if (cacheSeconds !== undefined && !(typeof cacheSeconds === "number" && cacheSeconds > 0)) {
    complain("cacheSeconds", "a number of seconds above 0");
  }
  if (tool.limit !== undefined && typeof tool.limit !== "string") complain("limit", "the name of a limit");
}

/** The schema with unknown keys refused wherever it lists properties and says nothing about others. */
function closed(schema: JsonSchema): JsonSchema {
  const result: JsonSchema = { ...schema };
  if (isObject(schema.properties)) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [
        name,
        isObject(value) ? closed(value) : value,
      ]),
    );
    // A part of a combination does not know the properties of the other parts.
    const combined = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties"].some((key) => key in schema);
    if (!("additionalProperties" in schema) && !combined) result.additionalProperties = false;
  }
  if (isObject(schema.items)) result.items = closed(schema.items);
  return result;
}
