import { Failure } from "../protocol/failure.ts";
import { isObject, type JsonSchema } from "../protocol/json.ts";
import type { Tool } from "../protocol/tool.ts";

/**
 * Puts arguments under the names that the tool declares: models and programs may also write them in snake_case, at any
 * depth, or by another name that the tool accepts. Throws TOOL_INVALID_ARGUMENTS for one that comes under two names.
 */
export function spellAsDeclared(
  args: Record<string, unknown>,
  { name, parameters, spellings }: Pick<Tool, "name" | "parameters" | "spellings">,
): Record<string, unknown> {
  return spellings ? renamed(args, parameters, name, spellings) : args;
}

function renamed(
  args: Record<string, unknown>,
  schema: JsonSchema,
  tool: string,
  spellings: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const from = new Map<string, string>();
  const entries = Object.entries(args).map(([key, value]): [string, unknown] => {
    const other = (Object.hasOwn(spellings, key) && spellings[key]) || camelCase(key);
    const declared = Object.hasOwn(properties, other) && !Object.hasOwn(properties, key);
    const name = declared ? other : key;
    const before = from.get(name);
    if (before !== undefined) throw givenTwice(tool, before, key);
    from.set(name, key);
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isObject(inner) ? renamedInside(value, inner, tool, spellings) : value];
  });
  return Object.fromEntries(entries);
}

function renamedInside(
  value: unknown,
  schema: JsonSchema,
  tool: string,
  spellings: Readonly<Record<string, string>>,
): unknown {
  if (isObject(value)) return renamed(value, schema, tool, spellings);
  const { items } = schema;
  if (!Array.isArray(value) || !isObject(items)) return value;
  return value.map((one) => renamedInside(one, items, tool, spellings));
}

function camelCase(key: string): string {
  return key.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

function givenTwice(tool: string, first: string, second: string): Failure {
  const message = `it means the same as ${first}; give only one of them`;
  return new Failure(
    "TOOL_INVALID_ARGUMENTS",
    `The arguments of ${tool} are not valid: ${second}: ${message}.`,
    {
      details: { tool, issues: [{ path: second, message }] },
    },
  );
}
