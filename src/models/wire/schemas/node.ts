/** The types of JSON Schema. */
export type TypeName = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/**
 * A schema in its plainest form. It has no references, no draft-specific keywords and no combinations but `anyOf`, and every
 * value is valid in all drafts since 6. A node with `anyOf` has nothing else but texts. A node without `type` accepts anything.
 */
export interface SchemaNode {
  type?: TypeName[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  /** Strings, numbers, booleans and null only. */
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Map<string, SchemaNode>;
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  anyOf?: SchemaNode[];
}

/** Returns the type of a JSON value. */
export function typeOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" || typeof value === "boolean"
    ? (typeof value as "string" | "boolean")
    : "object";
}

/** True if a value of this type is allowed by these types. */
export function allows(types: readonly TypeName[] | undefined, type: TypeName): boolean {
  return types === undefined || types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Returns whether two schemas are the same. */
export function isSame(one: SchemaNode, other: SchemaNode): boolean {
  return serialized(one) === serialized(other);
}

function serialized(node: SchemaNode): string {
  return JSON.stringify(node, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}

/** Returns the schemas without repetitions. */
export function distinct(nodes: readonly SchemaNode[]): SchemaNode[] {
  return [...new Map(nodes.map((node) => [serialized(node), node])).values()];
}

/** Returns a schema that accepts what any of these accept. */
export function either(nodes: readonly SchemaNode[], texts: SchemaNode = {}): SchemaNode {
  const variants = distinct(nodes.flatMap((node) => (node.anyOf && isBare(node) ? node.anyOf : [node])));
  const [only, second] = variants;
  if (only === undefined || variants.some((node) => Object.keys(node).length === 0)) return texts;
  if (second === undefined) return { ...only, ...texts };
  if (variants.every((node) => node.type && hasOnly(node, ["type"])))
    return { type: unitedTypes(variants), ...texts };
  if (variants.every((node) => node.enum || (node.type?.length === 1 && node.type[0] === "null")))
    return united(variants, texts);
  // A null among the variants is part of each of them where only one is left.
  const [some, ...more] = variants.filter((node) => !isNull(node));
  if (some?.type && !some.enum && more.length === 0)
    return { ...some, type: [...new Set<TypeName>([...some.type, "null"])], ...texts };
  return { ...texts, anyOf: variants };
}

function united(variants: readonly SchemaNode[], texts: SchemaNode): SchemaNode {
  const values = new Set(variants.flatMap((node) => node.enum ?? [null]));
  const meanings = variants.flatMap(({ enum: named, title, description }) =>
    named?.length === 1 && (description ?? title) ? [`${named[0]}: ${description ?? title}`] : [],
  );
  const description = [texts.description, ...meanings].filter(Boolean).join("\n");
  return { ...texts, ...(description && { description }), type: unitedTypes(variants), enum: [...values] };
}

function unitedTypes(nodes: readonly SchemaNode[]): TypeName[] {
  const types = new Set(nodes.flatMap((node) => node.type ?? []));
  if (types.has("number")) types.delete("integer");
  return [...types];
}

function isNull({ type }: SchemaNode): boolean {
  return type?.length === 1 && type[0] === "null";
}

function isBare(node: SchemaNode): boolean {
  return hasOnly(node, ["anyOf"]);
}

function hasOnly(node: SchemaNode, keywords: readonly string[]): boolean {
  return Object.keys(node).every((keyword) => keywords.includes(keyword));
}
