import { Failure } from "../protocol/failure.ts";
import { deepFreeze } from "../protocol/freeze.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import { isObject } from "../protocol/json.ts";
import type { ParameterIssue } from "../protocol/tool.ts";

const POLLUTING = new Set(["__proto__", "constructor", "prototype"]);
const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * Layer 2: rejects prototype keys at any depth and arguments that do not match the schema. Freezes the rest. A tool may have a
 * parameter called `constructor`, but never `__proto__`.
 */
export const parametersLayer: GuardLayer = {
  name: "parameters",
  check({ tool, args }: GuardedCall): Verdict {
    const unsafe = findUnsafe(args, tool.parameters);
    if (unsafe) return refuse(tool.name, [unsafe]);
    const parsed = tool.parse(args);
    if (!parsed.ok) return refuse(tool.name, parsed.issues);
    return { allow: true, args: deepFreeze(parsed.value) };
  },
};

function refuse(tool: string, issues: ParameterIssue[]): Verdict {
  const shown = issues
    .slice(0, 20)
    .map(({ path, message }) => ({ path: path.slice(0, 200), message: message.slice(0, 500) }));
  const list = shown.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  const sentence = `The arguments of ${tool} are not valid: ${list}.`.slice(0, 2_000);
  return {
    allow: false,
    failure: new Failure("TOOL_INVALID_ARGUMENTS", sentence, { details: { tool, issues: shown } }),
  };
}

/** Does not recurse, so that deep arguments cannot exhaust the stack. */
function findUnsafe(root: unknown, parameters: unknown): ParameterIssue | undefined {
  const pending: { value: unknown; schema: unknown; path: string; depth: number }[] = [
    { value: root, schema: parameters, path: "", depth: 0 },
  ];
  let seen = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, schema, path, depth } = next;
    if (++seen > MAX_VALUES) return { path: "", message: "too many values" };
    if (depth > MAX_DEPTH) return { path, message: `nested deeper than ${MAX_DEPTH} levels` };
    if (!isObject(value) && !Array.isArray(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      const at = path ? `${path}.${key}` : key;
      const listed = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
      const declared = key !== "__proto__" && Object.hasOwn(listed, key);
      if (isObject(value) && POLLUTING.has(key) && !declared)
        return { path: at, message: "this key is not allowed" };
      pending.push({ value: inner, schema: declared ? listed[key] : {}, path: at, depth: depth + 1 });
    }
  }
  return undefined;
}
