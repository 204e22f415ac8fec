import { type Node, type OxcError, type Program, visitorKeys } from "oxc-parser";
import { parseSync } from "oxc-parser/src-js/bindings";
import { jsonParseAst } from "oxc-parser/src-js/wrap";
import { transformSync } from "oxc-transform";

export type { Node, Program };

/** A syntax error. */
export interface Problem {
  message: string;
  start: number;
  end: number;
  /** The place where the unclosed bracket or element begins, if the parser knows it. */
  opened?: { start: number; end: number };
}

export interface Parsed {
  program: Program;
  problem: Problem | undefined;
}

interface Read {
  code: string;
  errors: readonly OxcError[];
  /** The tree as JSON. Reading it frees the parser's large buffer at once. */
  json: string;
  program?: Program;
}

/** Consecutive passes parse the same code. Only one tree is kept, because trees are large. */
let latest: Read | undefined;

/** Uses the parser's bindings: the public API returns accessors that keep each tree alive until the next full collection. */
function parseOnce(code: string): Read {
  if (latest?.code === code) return latest;
  const { program: json, errors } = parseSync("artifact.tsx", code, { sourceType: "module" });
  latest = { code, errors, json };
  return latest;
}

/** Releases the tree that was kept. */
export function forgetTree(): void {
  latest = undefined;
}

/** Parses a module with JSX and types. Returns the first syntax error instead of throwing it. */
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

/** Checks whether code parses; fast for code that does. */
export function parses(code: string): boolean {
  return compiles(code) || problemOf(code) === undefined;
}

/** Checks syntax, names and scopes with the compiler, in a tenth of the time that building a tree takes. */
function compiles(code: string): boolean {
  return transformSync("artifact.tsx", code, { sourceType: "module" }).errors.length === 0;
}

/** What is wrong with names and scopes in a module that parses. */
export function semanticProblems(code: string): Problem[] {
  if (compiles(code)) return [];
  const { errors } = parseSync("artifact.tsx", code, { sourceType: "module", showSemanticErrors: true });
  return errors.map((error) => {
    const [first, second] = error.labels;
    // Of two declarations of a name, the second one is reported.
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

/** Visits every node, parents before children. `parents` ends with the nearest. Return `false` to skip the children. */
export function walk(root: Node, visit: Visit): void {
  const order = root.type === "Program" ? remembered(root, ORDER, () => inOrder(root)) : inOrder(root);
  visitAll(order, visit);
}

/** The nodes of a tree in visiting order, the depth of each, and the index of the node after its children. */
interface Order {
  nodes: Node[];
  depths: number[];
  next: number[];
}

/** Computes something about a tree once. It is stored on the tree: a WeakMap would keep it alive through minor collections. */
export function remembered<Found>(program: Program, name: symbol, find: () => Found): Found {
  const known = Reflect.get(program, name) as Found | undefined;
  if (known !== undefined) return known;
  const found = find();
  Reflect.set(program, name, found);
  return found;
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
    const inner: unknown = node[key as keyof Node];
    if (Array.isArray(inner)) {
      for (const one of inner as (Node | null)[]) if (one) enter(one, depth + 1, order);
    } else if (inner) enter(inner as Node, depth + 1, order);
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
