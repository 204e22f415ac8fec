import { allows, distinct, either, isSame, type SchemaNode, type TypeName } from "./node.ts";

/** Returns a schema that accepts what both accept, as far as it can be said. The first one's texts count. */
export function both(one: SchemaNode, other: SchemaNode): SchemaNode {
  const { title = other.title, description = other.description } = one;
  const texts: SchemaNode = { ...(title && { title }), ...(description && { description }) };
  if (one.anyOf || other.anyOf) {
    // Two sets of alternatives would multiply, so the second one is not checked here.
    const [variants, shared] = one.anyOf ? [one.anyOf, withoutVariants(other)] : [other.anyOf ?? [], one];
    return either(
      variants.map((variant) => both(variant, withoutTexts(shared))),
      texts,
    );
  }
  const type = one.type && other.type ? commonTypes(one.type, other.type) : (one.type ?? other.type);
  const values = one.enum && other.enum?.filter((value) => one.enum?.includes(value));
  return {
    ...other,
    ...one,
    ...texts,
    ...(type && { type }),
    ...(values && values.length > 0 && { enum: values }),
    ...(one.items && other.items && { items: both(one.items, other.items) }),
    ...bothObjects(one, other),
  };
}

function bothObjects(one: SchemaNode, other: SchemaNode): SchemaNode {
  if (!one.properties && !other.properties) return {};
  const properties = new Map(other.properties);
  for (const [name, node] of one.properties ?? []) {
    const second = properties.get(name);
    properties.set(name, second && !isSame(node, second) ? both(node, second) : node);
  }
  // Parts of a combination do not know each other's properties, so one that is closed must not close the whole.
  const closed = [one, other].every((node) => !node.properties || node.additionalProperties === false);
  const open = [one, other].map((node) => node.additionalProperties).find((rest) => typeof rest === "object");
  return {
    properties,
    required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    additionalProperties: closed ? false : open,
  };
}

/** Adds the properties of a schema that holds only under some condition. */
export function withOptional(base: SchemaNode, added: SchemaNode): SchemaNode {
  const nodes = added.anyOf ?? [added];
  const properties = new Map(base.properties);
  for (const node of nodes)
    for (const [name, value] of node.properties ?? []) if (!properties.has(name)) properties.set(name, value);
  return properties.size > (base.properties?.size ?? 0) ? { ...base, properties } : base;
}

/**
 * Returns one object schema for alternatives: it has the properties of all, and requires what all of them require. Its
 * description says what goes together.
 */
export function unitedObject(variants: readonly SchemaNode[], texts: SchemaNode): SchemaNode {
  const properties = new Map<string, SchemaNode[]>();
  for (const { properties: own } of variants)
    for (const [name, node] of own ?? []) properties.set(name, [...(properties.get(name) ?? []), node]);
  const common = commonNames(variants);
  const closed = variants.every((node) => node.additionalProperties === false);
  return {
    ...withChoices(texts, variants),
    type: ["object"],
    properties: new Map([...properties].map(([name, nodes]) => [name, either(distinct(nodes))])),
    required: common,
    ...(closed && { additionalProperties: false }),
  };
}

/** Adds to a schema's description which properties alternatives require, if they differ. */
export function withChoices(node: SchemaNode, variants: readonly SchemaNode[]): SchemaNode {
  const common = commonNames(variants);
  if (variants.every(({ required = [] }) => required.length === common.length)) return node;
  const sets = variants.map(({ required = [] }) => required.join(" with ") || "none of them");
  const choices = `Give one of these: ${sets.join("; ")}.`;
  return { ...node, description: [node.description, choices].filter(Boolean).join("\n") };
}

function commonNames([first, ...others]: readonly SchemaNode[]): string[] {
  const names = first?.required ?? [];
  return names.filter((name) => others.every(({ required = [] }) => required.includes(name)));
}

function commonTypes(one: TypeName[], other: TypeName[]): TypeName[] {
  const common = [...one.filter((type) => allows(other, type)), ...other.filter((type) => allows(one, type))];
  // Contradicting types accept nothing. The first one is the better guess.
  return common.length > 0 ? [...new Set(common)] : one;
}

function withoutTexts({ title: _title, description: _description, ...node }: SchemaNode): SchemaNode {
  return node;
}

function withoutVariants({ anyOf: _variants, ...node }: SchemaNode): SchemaNode {
  return node;
}
