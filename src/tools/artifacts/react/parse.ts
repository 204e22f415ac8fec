import { type Node, type OxcError, type Program, visitorKeys } from "oxc-parser";
import { parseSync } from "oxc-parser/src-js/bindings";
import { jsonParseAst } from "oxc-parser/src-js/wrap";
import { transformSync } from "oxc-transform";

export type { Node, Program };

/** What the parser found wrong, where the first trouble is. */
export interface Problem {
  message: string;
  start: number;
  end: number;
  /** Where what is wrong was opened, if the parser says so. */
  opened?: { start: number; end: number };
}

export interface Parsed {
  program: Program;
  problem: Problem | undefined;
}

interface Read {
  code: string;
  errors: readonly OxcError[];
  /** The tree as a text: reading it from the parser frees its large buffer, which the collector would do late. */
  json: string;
  program?: Program;
}

/** Steps ask about the same text one after the other. No more than one tree is kept: each is large, and collections copy it. */
let latest: Read | undefined;

/**
 * Parses below the library's own face: what that answers has accessors of its own, which keep each tree alive until the next
 * great collection.
 */
function parseOnce(code: string): Read {
  if (latest?.code === code) return latest;
  const { program: json, errors } = parseSync("artifact.tsx", code, { sourceType: "module" });
  latest = { code, errors, json };
  return latest;
}

/** Lets go of the tree that was kept. */
export function forgetTree(): void {
  latest = undefined;
}

/** Parses a module with JSX and types; the first syntax error is answered, not thrown. */
export function parseModule(code: string): Parsed {
  const read = parseOnce(code);
  const [first] = read.errors;
  read.program ??= jsonParseAst(read.json);
  return { program: read.program, problem: first && toProblem(first) };
}

/** The first syntax error of a module, without building its tree. */
export function problemOf(code: string): Problem | undefined {
  const [first] = parseOnce(code).errors;
  return first && toProblem(first);
}

/** Whether code that should be good still parses. */
export function parses(code: string): boolean {
  return compiles(code) || problemOf(code) === undefined;
}

/** Whether the compiler takes it as it is, names and scopes included: that takes a tenth of the time that a tree does. */
function compiles(code: string): boolean {
  return transformSync("artifact.tsx", code, { sourceType: "module" }).errors.length === 0;
}

/** What is wrong with names and scopes in a module that parses. */
export function semanticProblems(code: string): Problem[] {
  if (compiles(code)) return [];
  const { errors } = parseSync("artifact.tsx", code, { sourceType: "module", showSemanticErrors: true });
  return errors.map((error) => {
    const [first, second] = error.labels;
    // Of two declarations of a name the second is the one that is wrong.
    return second && first
      ? { message: error.message, start: second.start, end: second.end }
      : toProblem(error);
  });
}

function toProblem(error: OxcError): Problem {
  const [at, opened] = error.labels;
  return {
    message: error.message,
    start: at?.start ?? 0,
    end: at?.end ?? 0,
    ...(opened ? { opened: { start: opened.start, end: opened.end } } : {}),
  };
}

type Visit = (node: Node, parents: readonly Node[]) => boolean | undefined;

/** Visits every node from the outside in; `parents` holds what encloses it, nearest last. `false` leaves out what is inside. */
export function walk(root: Node, visit: Visit): void {
  const order = root.type === "Program" ? remembered(root, ORDER, () => inOrder(root)) : inOrder(root);
  visitAll(order, visit);
}

/** The nodes of a tree in the order in which they are visited, how deep each is, and where the next one beside it stands. */
interface Order {
  nodes: Node[];
  depths: number[];
  next: number[];
}

/**
 * What was found out about a tree: several passes ask for it. It is kept on the tree itself, since what a WeakMap holds on to
 * survives every small collection.
 */
export function remembered<Found>(program: Program, name: symbol, find: () => Found): Found {
  const notes = program as unknown as Record<symbol, Found | undefined>;
  notes[name] ??= find();
  return notes[name];
}

const ORDER = Symbol("order");

function inOrder(root: Node): Order {
  const order: Order = { nodes: [], depths: [], next: [] };
  enter(root, 0, order);
  return order;
}

function enter(node: Node, depth: number, order: Order): void {
  const at = order.nodes.push(node) - 1;
  order.depths.push(depth);
  order.next.push(0);
  for (const key of visitorKeys[node.type] ?? []) {
    const inner = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key];
    if (Array.isArray(inner)) {
      for (const one of inner) if (one) enter(one, depth + 1, order);
    } else if (inner) enter(inner, depth + 1, order);
  }
  order.next[at] = order.nodes.length;
}

function visitAll({ nodes, depths, next }: Order, visit: Visit): void {
  const parents: Node[] = [];
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at] as Node;
    parents.length = depths[at] ?? 0;
    const inside = visit(node, parents) !== false;
    parents.push(node);
    at = inside ? at + 1 : (next[at] ?? nodes.length);
  }
}
