import type { JsonSchema } from "../../../protocol/json.ts";
import type { SchemaNode, TypeName } from "./node.ts";
import type { SchemaProfile } from "./profiles.ts";

const MAX_VALUES = 500;
const BRIEF = 80;
/** Keywords that are not plain values. */
const NESTED: ReadonlySet<string> = new Set(
  "type description enum items properties required additionalProperties anyOf".split(" "),
);
/** In the profile of every vendor that keeps to schemas exactly. */
const NOT_STRICT: ReadonlySet<string> = new Set([
  "default",
  "examples",
  "minLength",
  "maxLength",
  "uniqueItems",
]);
/** Stands for a schema that accepts anything where every schema must name its type. */
const ANYTHING: readonly SchemaNode[] = (["string", "number", "boolean", "array", "object"] as const).map(
  (type) => ({ type: [type], ...(type === "array" && { items: { type: ["string"] } }) }),
);

/** A schema in the vendor's words. */
export interface FittedSchema {
  schema: JsonSchema;
  /** The vendor's names of properties, by the tool's own. Only names that differ. */
  names: ReadonlyMap<string, string>;
  /** Schemas of properties that the vendor requires but the tool does not: null means that they were left out. */
  optional: ReadonlySet<JsonSchema>;
}

/**
 * Writes a schema for a vendor. With `strict`, returns undefined if it cannot be followed exactly, and if objects are open
 * where the vendor wants them closed. With `brief`, texts are shortened.
 */
export function fitSchema(
  node: SchemaNode,
  profile: SchemaProfile,
  { strict = false, brief = false } = {},
): FittedSchema | undefined {
  const writer = new SchemaWriter(node, profile, strict, brief);
  const schema = writer.write(node);
  return writer.possible ? { schema, names: writer.names, optional: writer.optional } : undefined;
}

class SchemaWriter {
  readonly names = new Map<string, string>();
  readonly optional = new Set<JsonSchema>();
  /** False once something was found that a strict schema cannot say. */
  possible = true;
  private readonly taken = new Set<string>();
  private readonly profile: SchemaProfile;
  private readonly strict: boolean;
  private readonly maxText: number;

  constructor(root: SchemaNode, profile: SchemaProfile, strict: boolean, brief: boolean) {
    this.profile = profile;
    this.strict = strict;
    this.maxText = brief ? BRIEF : Number.POSITIVE_INFINITY;
    for (const name of namesIn(root)) if (this.isValid(name)) this.taken.add(name);
  }

  write(node: SchemaNode): JsonSchema {
    if (node.anyOf) return this.writeVariants(node, node.anyOf);
    const { type, enum: values } = node;
    const several = (type?.filter((one) => one !== "null").length ?? 0) > 1;
    if (this.profile.typed && (type === undefined || several)) return this.writeTyped(node);
    if (this.strict && (type === undefined || (several && !values))) this.possible = false;
    const notes: string[] = [];
    const schema: JsonSchema = {
      ...(type && { type: type.length === 1 ? type[0] : type }),
      ...this.writeValues(node, notes),
    };
    const listed = values && this.listed(values, notes);
    if (listed) schema.enum = listed;
    if (node.items) schema.items = this.write(node.items);
    else if (type?.includes("array")) schema.items = this.write({});
    if (type?.includes("object")) Object.assign(schema, this.writeObject(node));
    return this.described(schema, node.description, notes);
  }

  private writeVariants(node: SchemaNode, variants: readonly SchemaNode[]): JsonSchema {
    const schema = { ...this.writeValues(node, []), anyOf: variants.map((one) => this.write(one)) };
    return this.described(schema, node.description, []);
  }

  /** Splits a schema of several types, or of any type, into one alternative for each type. */
  private writeTyped({ description, title, ...node }: SchemaNode): JsonSchema {
    const { type, ...rest } = node;
    const variants = type?.map((one): SchemaNode => onlyFor(one, { ...rest, type: [one] })) ?? ANYTHING;
    return this.write({ ...(title && { title }), ...(description && { description }), anyOf: [...variants] });
  }

  /** Copies plain keywords. What the vendor does not take is said in words. */
  private writeValues(node: SchemaNode, notes: string[]): JsonSchema {
    const { refuses, formats, strictFormats } = this.profile;
    const known = this.strict ? strictFormats : formats;
    const kept = Object.entries(node).filter(([keyword, value]) => {
      if (NESTED.has(keyword)) return false;
      const taken =
        !refuses?.has(keyword) &&
        !(this.strict && NOT_STRICT.has(keyword)) &&
        (keyword !== "format" || known === undefined || known.has(String(value)));
      if (!taken && keyword !== "title") notes.push(`${keyword}: ${JSON.stringify(value)}`);
      return taken;
    });
    return Object.fromEntries(kept);
  }

  private listed(all: readonly unknown[], notes: string[]): unknown[] | undefined {
    const { stringEnums } = this.profile;
    const values = stringEnums ? all.filter((value) => value !== null) : all;
    const strings = values.every((value) => typeof value === "string");
    if (values.length === 0) return undefined;
    if (values.length <= MAX_VALUES && (strings || !stringEnums)) return [...values];
    const shown = values.slice(0, 30).map((value) => JSON.stringify(value));
    notes.push(`one of ${shown.join(", ")}${values.length > shown.length ? ` and others` : ""}`);
    return undefined;
  }

  private writeObject(node: SchemaNode): JsonSchema {
    const { properties = new Map<string, SchemaNode>(), required = [], additionalProperties: rest } = node;
    const written = [...properties].map(([name, one]): [string, JsonSchema] => {
      const schema = this.writeProperty(name, one, required.includes(name));
      return [this.nameOf(name), schema];
    });
    const all = written.map(([name]) => name);
    const closed = this.strict || this.profile.closed;
    // An object whose properties are not known cannot be followed exactly.
    if (closed && (rest === true || typeof rest === "object" || !node.properties)) this.possible = false;
    // Some programs take an object without listed properties for an empty one, unless it says that it is open.
    const open = rest ?? (node.properties ? undefined : true);
    const needed = this.strict ? all : required.map((name) => this.nameOf(name));
    return {
      properties: Object.fromEntries(written),
      ...(needed.length > 0 && { required: needed }),
      ...(closed
        ? { additionalProperties: false }
        : open !== undefined && { additionalProperties: typeof open === "object" ? this.write(open) : open }),
    };
  }

  private writeProperty(name: string, node: SchemaNode, required: boolean): JsonSchema {
    const renamed = this.nameOf(name) !== name;
    const description = renamed
      ? [node.description, `(the tool calls it ${JSON.stringify(name.slice(0, 200))})`]
          .filter(Boolean)
          .join(" ")
      : node.description;
    const told = description === undefined ? node : { ...node, description };
    if (!this.strict || required || acceptsNull(node)) return this.write(told);
    if (!node.type && !node.anyOf) this.possible = false;
    const schema = this.write(withNull(told));
    this.optional.add(schema);
    return schema;
  }

  /** Adds a description: the schema's own, and what could not be said otherwise. */
  private described(schema: JsonSchema, description: string | undefined, notes: string[]): JsonSchema {
    const text = [description, notes.length > 0 ? `(${notes.join("; ")})` : undefined]
      .filter(Boolean)
      .join(" ");
    return text === "" ? schema : { ...schema, description: text.slice(0, this.maxText) };
  }

  private isValid(name: string): boolean {
    return this.profile.names.test(name);
  }

  private nameOf(name: string): string {
    if (this.isValid(name)) return name;
    const known = this.names.get(name);
    if (known !== undefined) return known;
    const base = plainName(name);
    let wire = base;
    for (let count = 2; this.taken.has(wire) || !this.isValid(wire); count++) wire = `${base}_${count}`;
    this.taken.add(wire);
    this.names.set(name, wire);
    return wire;
  }
}

/** Returns a name that every vendor takes: `$filter` becomes `filter`, `page[size]` becomes `page_size`. */
function plainName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "");
  const plain = letters.replace(/[^a-zA-Z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return (/^\d/.test(plain) ? `_${plain}` : plain).slice(0, 56) || "parameter";
}

function* namesIn(node: SchemaNode): Iterable<string> {
  for (const [name, one] of node.properties ?? []) {
    yield name;
    yield* namesIn(one);
  }
  const { items, additionalProperties: rest, anyOf = [] } = node;
  for (const one of [items, rest, ...anyOf]) if (typeof one === "object") yield* namesIn(one);
}

function acceptsNull({ type, anyOf }: SchemaNode): boolean {
  return type?.includes("null") === true || anyOf?.some(acceptsNull) === true;
}

function withNull(node: SchemaNode): SchemaNode {
  if (node.anyOf) return { ...node, anyOf: [...node.anyOf, { type: ["null"] }] };
  const { type = [], enum: values } = node;
  return { ...node, type: [...type, "null"], ...(values && { enum: [...values, null] }) };
}

const ABOUT: Readonly<Record<string, readonly TypeName[]>> = {
  items: ["array"],
  minItems: ["array"],
  maxItems: ["array"],
  properties: ["object"],
  required: ["object"],
  additionalProperties: ["object"],
  format: ["string"],
  minimum: ["number", "integer"],
  maximum: ["number", "integer"],
};

/** Keeps what is about one type. */
function onlyFor(type: TypeName, node: SchemaNode): SchemaNode {
  const kept = Object.entries(node).filter(([keyword]) => ABOUT[keyword]?.includes(type) ?? true);
  const { enum: values, ...rest } = Object.fromEntries(kept) as SchemaNode;
  const own = values?.filter((value) => fits(value, type));
  return own && own.length > 0 ? { ...rest, enum: own } : rest;
}

function fits(value: unknown, type: TypeName): boolean {
  if (value === null) return type === "null";
  return type === "integer" || type === "number" ? typeof value === "number" : typeof value === type;
}
