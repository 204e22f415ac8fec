import { isObject } from "../../../protocol/json.ts";
import { lookUp } from "../../../protocol/json-pointer.ts";
import { both, withChoices, withOptional } from "./merge.ts";
import { allows, either, type SchemaNode, type TypeName, typeOf } from "./node.ts";

type Source = Record<string, unknown>;

const MAX_NODES = 1_500;
/** A recursive schema is unrolled only as far as the whole stays this small. */
const SMALL = 400;
const MAX_VARIANTS = 40;

/** Words for types that other languages and older drafts use. */
const TYPES: Readonly<Record<string, TypeName>> = {
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  decimal: "number",
  bool: "boolean",
  str: "string",
  text: "string",
  date: "string",
  datetime: "string",
  file: "string",
  binary: "string",
  dict: "object",
  map: "object",
  list: "array",
  tuple: "array",
  none: "null",
};
const NAMES: readonly string[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Keywords that tell the type of a schema that does not name it. */
const HINTS: readonly (readonly [TypeName, readonly string[]])[] = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/**
 * Reads any JSON Schema, of any draft and however broken. What is deeper than `maxDepth` is left open. Returns undefined if
 * the schema says that nothing is valid.
 */
export function readSchema(schema: unknown, maxDepth: number): SchemaNode | undefined {
  for (const levels of [3, 2, 1]) {
    const reader = new SchemaReader(schema, levels, maxDepth);
    const node = reader.read(schema, 0, []);
    if (!reader.cut || reader.nodes <= SMALL || levels === 1) return node;
  }
}

class SchemaReader {
  nodes = 0;
  /** True if something was left open because it is recursive. */
  cut = false;
  private readonly root: unknown;
  /** How often a reference may stand inside itself. */
  private readonly levels: number;
  private readonly maxDepth: number;
  /** What references stand for, by where they stand, and how many nodes that is. */
  private readonly followed = new Map<string, { node: SchemaNode; nodes: number }>();

  constructor(root: unknown, levels: number, maxDepth: number) {
    this.root = root;
    this.levels = levels;
    this.maxDepth = maxDepth;
  }

  read(schema: unknown, depth: number, refs: readonly string[]): SchemaNode | undefined {
    this.nodes++;
    if (schema === false) return undefined;
    if (!isObject(schema)) return {};
    if (depth > this.maxDepth || this.nodes > MAX_NODES) return outline(schema);
    const own = this.withConditions(schema, this.plain(schema, depth, refs), depth, refs);
    const parts = [own];
    const reference = schema.$ref;
    if (typeof reference === "string") parts.push(this.follow(reference, depth, refs));
    for (const part of listOf(schema.allOf)) parts.push(this.read(part, depth + 1, refs) ?? {});
    const variants = listOf(schema.anyOf ?? schema.oneOf).slice(0, MAX_VARIANTS);
    const merged = parts.reduce(both);
    return this.withVariants(merged, variants, depth, refs);
  }

  private withVariants(
    node: SchemaNode,
    variants: unknown[],
    depth: number,
    refs: readonly string[],
  ): SchemaNode | undefined {
    if (variants.length === 0) return node;
    const nodes = variants.flatMap((variant) => this.read(variant, depth + 1, refs) ?? []);
    if (nodes.length === 0) return undefined;
    // Alternatives that only say which properties go together are checked when the tool is called.
    if (
      node.properties &&
      nodes.every((one) => ![...(one.properties?.values() ?? [])].some(isTold) && !one.anyOf)
    )
      return withChoices(node, nodes);
    return both(node, either(nodes));
  }

  /** What holds under a condition may hold, so its properties are offered. */
  private withConditions(
    schema: Source,
    node: SchemaNode,
    depth: number,
    refs: readonly string[],
  ): SchemaNode {
    const depending = [schema.dependentSchemas, schema.dependencies].filter(isObject).flatMap(Object.values);
    let result = node;
    for (const part of [schema.then, schema.else, ...depending]) {
      if (isObject(part)) result = withOptional(result, this.read(part, depth + 1, refs) ?? {});
    }
    return result;
  }

  private follow(reference: string, depth: number, refs: readonly string[]): SchemaNode {
    const found = lookUp(this.root, reference);
    const target = found === true ? {} : found;
    if (!isObject(target)) return {};
    if (refs.filter((one) => one === reference).length >= this.levels) {
      this.cut = true;
      return outline(target);
    }
    const place = [depth, ...refs, reference].join("\n");
    const known = this.followed.get(place);
    if (known) {
      this.nodes += known.nodes;
      return this.nodes > MAX_NODES ? outline(target) : known.node;
    }
    const before = this.nodes;
    const node = this.read(target, depth, [...refs, reference]) ?? {};
    this.followed.set(place, { node, nodes: this.nodes - before });
    return node;
  }

  /** Reads what a schema says itself, without references and combinations. */
  private plain(schema: Source, depth: number, refs: readonly string[]): SchemaNode {
    const { values, types: ofValues } = readEnum(schema);
    const node: SchemaNode = outline(schema);
    if (values) {
      const fitting = values.filter((value) => allows(node.type, typeOf(value)));
      if (fitting.length > 0) node.enum = fitting;
      else node.enum = values;
      if (fitting.length === 0 || !node.type) node.type = [...new Set(node.enum.map(typeOf))];
      if (schema.nullable === true && !node.enum.includes(null)) node.enum.push(null);
    } else node.type ??= ofValues;
    if (schema.nullable === true && node.type && !node.type.includes("null")) node.type.push("null");
    const { type } = node;
    if (type === undefined) return node;
    const typed = {
      ...node,
      ...(type.includes("string") && !node.enum && readString(schema)),
      ...(allows(type, "integer") && !node.enum && readNumber(schema)),
      ...(type.includes("array") && this.readArray(schema, depth, refs)),
      ...(type.includes("object") && this.readObject(schema, depth, refs)),
    };
    const { default: preset } = schema;
    const fits = allows(type, typeOf(preset)) && (!typed.enum || typed.enum.includes(preset));
    return preset !== undefined && fits ? { ...typed, default: preset } : typed;
  }

  private readArray(schema: Source, depth: number, refs: readonly string[]): SchemaNode {
    const read = (one: unknown) => this.read(one, depth + 1, refs);
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : listOf(schema.items);
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const sizes = bounds(schema.minItems, schema.maxItems, "minItems", "maxItems");
    const unique = schema.uniqueItems === true ? { uniqueItems: true } : {};
    if (first.length === 0) return { items: read(rest ?? {}) ?? {}, ...sizes, ...unique };
    // Positions cannot be told apart everywhere, so every item may be what any position takes.
    const open = rest !== undefined && rest !== false ? [read(rest) ?? {}] : [];
    const items = either([...first.flatMap((one) => read(one) ?? []), ...open]);
    return { items, ...(rest === false && { maxItems: first.length }), ...sizes, ...unique };
  }

  private readObject(schema: Source, depth: number, refs: readonly string[]): SchemaNode {
    const listed = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const properties = new Map<string, SchemaNode>();
    const required = new Set(listOf(schema.required).filter((name) => typeof name === "string"));
    for (const [name, value] of listed) {
      // No call may have this key, and programs on the way to the model may lose it.
      const node = name === "__proto__" ? undefined : this.read(value, depth + 1, refs);
      if (node === undefined) required.delete(name);
      else properties.set(name, node);
      if (node && isObject(value) && value.required === true) required.add(name);
    }
    const { additionalProperties: rest, patternProperties } = schema;
    const closed = rest === false && !isObject(patternProperties);
    for (const name of required) {
      // The tool wants it, so the model must know about it, although nothing says what it is.
      if (!properties.has(name) && !closed) properties.set(name, {});
    }
    const additional = isObject(rest)
      ? this.read(rest, depth + 1, refs)
      : rest || isObject(patternProperties);
    return {
      ...(isObject(schema.properties) || properties.size > 0 ? { properties } : {}),
      ...(required.size > 0 && { required: [...required].filter((name) => properties.has(name)) }),
      ...(closed && { additionalProperties: false }),
      ...((additional === true || isObject(additional)) && { additionalProperties: additional }),
    };
  }
}

/** Returns a schema's type and texts. */
function outline(schema: Source): SchemaNode {
  const type = readTypes(schema);
  const { title, description } = schema;
  const examples = listOf(schema.examples).slice(0, 5);
  return {
    ...(type && { type }),
    ...(typeof title === "string" && title !== "" && { title }),
    ...(typeof description === "string" && description !== "" && { description }),
    ...(examples.length > 0 && { examples }),
  };
}

function readTypes(schema: Source): TypeName[] | undefined {
  const named = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = new Set<TypeName>();
  for (const name of named) {
    if (typeof name !== "string") continue;
    const word = name.toLowerCase();
    const type = NAMES.includes(word) ? (word as TypeName) : Object.hasOwn(TYPES, word) && TYPES[word];
    if (type) types.add(type);
    else return undefined;
  }
  if (types.has("number")) types.delete("integer");
  if (types.size > 0) return [...types];
  const hints = HINTS.flatMap(([type, words]) =>
    words.some((word) => schema[word] !== undefined && schema[word] !== null && schema[word] !== true)
      ? [type]
      : [],
  );
  return hints.length === 1 ? hints : undefined;
}

/** Returns the allowed values, or only their types if the values cannot be listed. */
function readEnum(schema: Source): { values?: unknown[]; types?: TypeName[] } {
  const listed = "const" in schema ? [schema.const] : listOf(schema.enum);
  if (listed.length === 0) return {};
  const types = [...new Set(listed.map(typeOf))];
  if (types.includes("object") || types.includes("array")) return { types };
  return { values: [...new Set(listed)] };
}

function readString({ format, pattern, minLength, maxLength }: Source): SchemaNode {
  return {
    ...(typeof format === "string" && format !== "" && { format }),
    ...(typeof pattern === "string" && isPattern(pattern) && { pattern }),
    ...bounds(minLength, maxLength, "minLength", "maxLength"),
  };
}

function readNumber(schema: Source): SchemaNode {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  const from = isNumber(minimum) ? { [above === true ? "exclusiveMinimum" : "minimum"]: minimum } : {};
  const to = isNumber(maximum) ? { [below === true ? "exclusiveMaximum" : "maximum"]: maximum } : {};
  if (isNumber(minimum) && isNumber(maximum) && minimum > maximum) return {};
  return {
    ...from,
    ...to,
    ...(isNumber(above) && { exclusiveMinimum: above }),
    ...(isNumber(below) && { exclusiveMaximum: below }),
    ...(isNumber(step) && step > 0 && { multipleOf: step }),
  };
}

/** Reads two limits that are counts. Limits that contradict each other are dropped. */
function bounds(least: unknown, most: unknown, from: string, to: string): SchemaNode {
  if (isCount(least) && isCount(most) && least > most) return {};
  return { ...(isCount(least) && { [from]: least }), ...(isCount(most) && { [to]: most }) };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false; // A vendor would refuse it as well.
  }
}

function isTold(node: SchemaNode): boolean {
  return Object.keys(node).length > 0;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
