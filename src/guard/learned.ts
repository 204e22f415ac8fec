import { isObject, type JsonSchema, parseJson } from "../protocol/json.ts";
import { type LearnedTarget, readFrom } from "../protocol/plan.ts";
import type { Tool } from "../protocol/tool.ts";
import { wordsOf } from "./leaves.ts";
import { standsIn } from "./person-words.ts";

const MOST_ROWS = 10_000;
const LONGEST_VALUE = 500;

/**
 * Returns the arguments of a step that only earlier steps can tell: those whose targets say so, and the required ids that its targets leave
 * out, if a step before it asks the same server. A free text is never searched: the value is that of a field, as a whole.
 */
export function learnedIn(
  tool: Tool,
  targets: readonly { path: string; name: string; value: unknown }[],
  before: readonly Tool[],
): LearnedTarget[] {
  const learned = targets.flatMap(({ path, value }): LearnedTarget[] => {
    const said = readFrom(value);
    if (!said) return [];
    const { $from, field, with: words } = said;
    const from = before.filter(({ name, aliases }) => isCalled(name, $from) || aliases.includes($from));
    return [
      {
        name: path,
        from: namesOf(from),
        field,
        with: words,
        ...(isId(field) ? {} : { open: true }),
      },
    ];
  });
  const asked = namesOf(before.filter((one) => isOfSameServer(one, tool)));
  if (asked.length === 0) return learned;
  const missing = requiredIds(tool.parameters, "").filter((id) => !targets.some(({ name }) => name === id));
  return [...learned, ...missing.map((name) => ({ name, from: asked, field: "id" }))];
}

/** True if a value is the field's only one in what was returned, or one of at most so many. */
export function isReturned(
  { field, with: words }: LearnedTarget,
  value: unknown,
  outputs: readonly string[],
  most: number,
): boolean {
  const found = new Set<string>();
  for (const output of outputs)
    for (const row of rowsIn(parseJson(output))) {
      const held = Object.hasOwn(row, field) ? row[field] : undefined;
      if (typeof held !== "string" && typeof held !== "number") continue;
      if (words === undefined || holds(row, words)) found.add(String(held));
    }
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.length <= LONGEST_VALUE && found.size <= most && found.has(text);
}

/** Returns the values of all fields in what was returned, each as text. A word in a text is none. */
export function fieldsIn(outputs: readonly string[]): ReadonlySet<string> {
  const rows = outputs.flatMap((output) => rowsIn(parseJson(output)));
  return new Set(
    rows.flatMap((row) =>
      Object.values(row)
        .filter((held) => !isObject(held))
        .map(String),
    ),
  );
}

function namesOf(tools: readonly Tool[]): string[] {
  return [...new Set(tools.map(({ name }) => name))];
}

/** Tools in files of one's own belong together if their names say so. */
function isOfSameServer(one: Tool, other: Tool): boolean {
  const group = ({ name }: Tool) => name.slice(0, Math.max(0, name.lastIndexOf(".")));
  return (
    one.source !== undefined &&
    (one.source === other.source || (group(one) !== "" && group(one) === group(other)))
  );
}

/** Models leave out the server's name. */
function isCalled(name: string, said: string): boolean {
  return name === said || name.endsWith(`.${said}`);
}

/** Ids are made by servers, so their text cannot be chosen by others. */
function isId(name: string): boolean {
  return /^(?:id|uuid|guid)$/.test(wordsOf(name).at(-1) ?? "");
}

function requiredIds(schema: JsonSchema, prefix: string): string[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).flatMap(([key, inner]) => {
    if (!isObject(inner) || !required.includes(key)) return [];
    if (isObject(inner.properties) && prefix === "") return requiredIds(inner, `${key}.`);
    return isId(key) && (inner.type === "string" || inner.type === "number" || inner.type === "integer")
      ? [`${prefix}${key}`]
      : [];
  });
}

/** Returns all objects in a value. */
function rowsIn(value: unknown): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = [];
  const open = [value];
  for (let one = open.pop(); open.length > 0 || one !== undefined; one = open.pop()) {
    if (rows.length > MOST_ROWS) return [];
    if (isObject(one)) rows.push(one);
    if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) open.push(inner);
  }
  return rows;
}

function holds(row: Record<string, unknown>, words: string): boolean {
  return Object.values(row).some(
    (value) => (typeof value === "string" || typeof value === "number") && standsIn([String(value)], words),
  );
}
