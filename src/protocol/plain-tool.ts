import { readerOfSchema } from "./conditional-schema.ts";
import { defineTool, parseWith, type RunContext } from "./define-tool.ts";
import { isObject, type JsonSchema } from "./json.ts";
import type { Effect, Retry, Tool } from "./tool.ts";

const EFFECTS: readonly unknown[] = ["none", "read", "write", "network"] satisfies Effect[];
const RETRIES: readonly unknown[] = ["pure", "idempotent", "unsafe"] satisfies Retry[];
const NAME = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/;

/** A tool as a plain object, with a JSON Schema for its parameters. */
export interface PlainTool {
  name: string;
  description: string;
  effect: Effect;
  parameters?: JsonSchema;
  run(args: unknown, context: RunContext): unknown;
  /** Default: `unsafe`. */
  retry?: Retry;
  trust?: "trusted" | "untrusted";
  timeoutMs?: number;
  limit?: string;
  task?: Tool["task"];
  parallel?: boolean;
  cacheSeconds?: number;
}

/** Turns a plain object into a tool. Throws an error that names the invalid field. */
export function toolFromPlain(plain: PlainTool): Tool {
  if (typeof plain.run !== "function") throw new Error("run: a function is needed");
  const parameters = closed(plain.parameters ?? { type: "object", properties: {} });
  if (parameters.type !== "object")
    throw new Error('parameters: a JSON Schema with "type": "object" is needed');
  const input = readerOfSchema(parameters);
  // Its author's schema says which names there are.
  const { spellings: _, ...tool } = defineTool({
    name: plain.name,
    description: plain.description,
    effect: plain.effect,
    retry: plain.retry ?? "unsafe",
    input,
    run: (args, context) => plain.run(args, context),
    trust: plain.trust,
    timeoutMs: plain.timeoutMs,
    limit: plain.limit,
    task: plain.task,
    parallel: plain.parallel,
    cacheSeconds: plain.cacheSeconds,
  });
  // `defineTool` would refuse additional keys that the author allowed on purpose.
  const made = { ...tool, parameters, parse: (args: unknown) => parseWith(input, args) };
  checkTool(made);
  return made;
}

/** Throws an error that names the first invalid field. */
export function checkTool(tool: Tool): void {
  const { name, aliases, description, effect, retry, trust, timeoutMs, cacheSeconds, limit } = tool;
  // A program in JavaScript may hand over the plain object that a file of the tools folder exports.
  if (!Array.isArray(aliases)) throw new Error("Make it with defineTool()");
  const isName = (one: unknown) => typeof one === "string" && NAME.test(one);
  const isPositive = (one: unknown) => one === undefined || (typeof one === "number" && one > 0);
  const alias = aliases.find((one) => !isName(one));
  const checks: [valid: boolean, problem: string][] = [
    [isName(name), "name: must be a letter, then at most 63 letters, digits, dots, dashes and underscores"],
    [alias === undefined, `aliases: "${alias}" is not a valid tool name`],
    [
      typeof description === "string" && description.trim() !== "",
      "description: a sentence that tells the model what the tool is for",
    ],
    [EFFECTS.includes(effect), "effect: one of none, read, write, network"],
    [RETRIES.includes(retry), "retry: one of pure, idempotent, unsafe"],
    [trust === "trusted" || trust === "untrusted", "trust: trusted or untrusted"],
    [isPositive(timeoutMs), "timeoutMs: a number of milliseconds above 0"],
    [isPositive(cacheSeconds), "cacheSeconds: a number of seconds above 0"],
    [limit === undefined || typeof limit === "string", "limit: the name of a limit"],
  ];
  const problem = checks.find(([valid]) => !valid)?.[1];
  if (problem !== undefined) throw new Error(problem);
}

const COMBINED = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if"];

/** Refuses additional keys wherever the schema lists properties and does not mention others. */
function closed(schema: JsonSchema): JsonSchema {
  const result: JsonSchema = { ...schema };
  if (isObject(schema.properties)) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, value]) => [
        name,
        isObject(value) ? closed(value) : value,
      ]),
    );
    // Parts of a combination or condition do not know each other's properties.
    const combined = COMBINED.some((key) => key in schema);
    if (!("additionalProperties" in schema) && !combined) result.additionalProperties = false;
  }
  if (isObject(schema.items)) result.items = closed(schema.items);
  return result;
}
