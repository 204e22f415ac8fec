import { type Node, walk } from "./parse.ts";

/** What a value is, as far as the code says. An `instance` of a class cannot be copied by spreading. */
export type Kind = "list" | "object" | "Set" | "Map" | "instance";

/** One step from a value to a part of it: `.name` or `[index]`. */
export interface Step {
  key: Node;
  computed: boolean;
}

/** A place that changes a value: `root.path` is changed by writing `last`, or by calling a method. */
export interface Mutation {
  node: Node;
  root: Node & { name: string };
  path: Step[];
  /** The written property; missing if a method is called or the value is handed to a function that changes it. */
  last?: Step;
  method?: string;
  /** The chain has a `?.`. */
  optional: boolean;
  /** The value as an argument: of `Object.assign`, or of a function that changes its parameter. */
  argument?: Node;
}

/** Methods that change a list and return the list or a part of it. */
export const RETURNING: ReadonlySet<string> = new Set(["sort", "reverse", "splice", "fill", "copyWithin"]);
export const LIST_METHODS: ReadonlySet<string> = new Set([...RETURNING, "push", "pop", "shift", "unshift"]);
export const COLLECTION_METHODS: ReadonlySet<string> = new Set(["add", "set", "delete", "clear"]);

/** Returns the mutations that a node itself makes, without those of the nodes inside of it. */
export function mutationsOf(node: Node): Mutation[] {
  switch (node.type) {
    case "AssignmentExpression":
      return written(node.left).flatMap((left) => ofMember(node, left));
    case "UpdateExpression":
      return ofMember(node, node.argument);
    case "UnaryExpression":
      return node.operator === "delete" ? ofMember(node, node.argument) : [];
    case "CallExpression":
      return ofCall(node);
    default:
      return [];
  }
}

/** The members that an assignment writes: `[a[0], a[1]] = …` writes two. */
function written(left: Node): Node[] {
  if (left.type === "MemberExpression") return [left];
  if (left.type === "ArrayPattern") return left.elements.flatMap((one) => (one ? written(one) : []));
  return [];
}

function ofMember(node: Node, member: Node): Mutation[] {
  const inner = plain(member);
  if (inner.type !== "MemberExpression") return [];
  const chain = chainOf(inner.object);
  const last = { key: inner.property as Node, computed: inner.computed };
  return chain ? [{ node, ...chain, last }] : [];
}

function ofCall(call: Extract<Node, { type: "CallExpression" }>): Mutation[] {
  const { callee } = call;
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return [];
  const method = callee.property.name;
  if (method === "assign" && callee.object.type === "Identifier" && callee.object.name === "Object") {
    const [target] = call.arguments;
    const chain = target && chainOf(target);
    return chain ? [{ node: call, ...chain, argument: target }] : [];
  }
  if (!LIST_METHODS.has(method) && !COLLECTION_METHODS.has(method)) return [];
  const chain = chainOf(callee.object);
  return chain
    ? [{ node: call, ...chain, optional: chain.optional || call.optional || callee.optional, method }]
    : [];
}

/** Splits `a.b[0]` into `a` and its steps. Undefined for anything that does not begin with a variable. */
export function chainOf(node: Node): Pick<Mutation, "root" | "path" | "optional"> | undefined {
  const path: Step[] = [];
  let at = plain(node);
  let optional = false;
  while (at.type === "MemberExpression") {
    path.unshift({ key: at.property as Node, computed: at.computed });
    optional ||= at.optional;
    at = plain(at.object);
  }
  if (at.type === "ThisExpression") return { root: Object.assign(at, { name: "this" }), path, optional };
  return at.type === "Identifier" ? { root: at as Node & { name: string }, path, optional } : undefined;
}

/** Removes parentheses and the wrapper of an optional chain. */
export function plain(node: Node): Node {
  return node.type === "ParenthesizedExpression" || node.type === "ChainExpression"
    ? plain(node.expression)
    : node;
}

/** The name of a step, if it is known. */
export function nameOf({ key, computed }: Step): string | undefined {
  if (!computed && key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
}

/** What a value must be for a step to make sense. */
export function kindBy(step: Step | undefined): Kind | undefined {
  const name = step && nameOf(step);
  if (name !== undefined) return name === "length" ? "list" : "object";
  return step?.key.type === "Literal" && typeof step.key.value === "number" ? "list" : undefined;
}

/** A shallow copy of an expression. */
export function copyOf(expression: string, kind: Kind | undefined): string {
  if (kind === "list") return `[...${expression}]`;
  if (kind === "object") return `{ ...${expression} }`;
  if (kind === "Set" || kind === "Map") return `new ${kind}(${expression})`;
  return `Array.isArray(${expression}) ? [...${expression}] : { ...${expression} }`;
}

/** True if a name is used in a node, outside of functions. */
export function mentions(root: Node, name: string): boolean {
  let found = false;
  walk(root, (node) => {
    if (node.type === "Identifier" && node.name === name) found = true;
    return !found && node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression";
  });
  return found;
}
