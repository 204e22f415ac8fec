import type { ArrowFunctionExpression, Function as FunctionLike } from "oxc-parser";
import { boundIn } from "./names.ts";
import { type Node, type Program, remembered, walk } from "./parse.ts";

export type FunctionNode = ArrowFunctionExpression | FunctionLike;
type Declarator = Extract<Node, { type: "VariableDeclarator" }>;

/** A name, where it is declared, and by what. */
export interface Binding {
  name: string;
  node: Node;
  scope: Node;
  /** The nodes around the declaration, outermost first. For a parameter, those around its function. */
  parents: readonly Node[];
  declarator?: Declarator;
  /** The function whose parameter it is, and which one. */
  parameterOf?: FunctionNode;
  index?: number;
  /** The function that it names. */
  declares?: FunctionNode;
}

export interface Scopes {
  /** Returns what a name stands for at a place, given the nodes around that place. */
  resolve(name: string, parents: readonly Node[]): Binding | undefined;
}

const SCOPES = Symbol("scopes");

/** Returns the scopes of a module. */
export function scopesOf(program: Program): Scopes {
  return remembered(program, SCOPES, () => collect(program));
}

export function isFunction(node: Node | undefined): node is FunctionNode {
  return (
    node?.type === "FunctionDeclaration" ||
    node?.type === "FunctionExpression" ||
    node?.type === "ArrowFunctionExpression"
  );
}

function collect(program: Program): Scopes {
  const tables = new Map<Node, Map<string, Binding>>();
  const declare = (binding: Binding) => {
    const table = tables.get(binding.scope) ?? new Map<string, Binding>();
    tables.set(binding.scope, table);
    table.set(binding.name, binding);
  };
  walk(program, (node, live) => {
    if (node.type === "VariableDeclarator") {
      const declaration = live.at(-1);
      const isVar = declaration?.type === "VariableDeclaration" && declaration.kind === "var";
      const place = { scope: nearest(live, isVar ? isFunctionScope : isScope), parents: live.slice() };
      for (const bound of boundIn(node.id))
        declare({ name: bound.name, node: bound, ...place, declarator: node });
    } else if (isFunction(node)) {
      const parents = live.slice();
      if (node.type !== "ArrowFunctionExpression" && node.id) {
        const scope = node.type === "FunctionDeclaration" ? nearest(live, isScope) : node;
        declare({ name: node.id.name, node: node.id, scope, parents, declares: node });
      }
      for (const [index, parameter] of node.params.entries())
        for (const bound of boundIn(parameter as Node))
          declare({ name: bound.name, node: bound, scope: node, parents, parameterOf: node, index });
    } else if (node.type === "ClassDeclaration" && node.id) {
      declare({ name: node.id.name, node: node.id, scope: nearest(live, isScope), parents: live.slice() });
    } else if (node.type === "CatchClause") {
      for (const bound of boundIn(node.param))
        declare({ name: bound.name, node: bound, scope: node, parents: live.slice() });
    }
    return undefined;
  });
  return {
    resolve(name, parents) {
      for (let at = parents.length - 1; at >= 0; at--) {
        const found = tables.get(parents[at] as Node)?.get(name);
        if (found) return found;
      }
      return undefined;
    },
  };

  function nearest(parents: readonly Node[], test: (node: Node) => boolean): Node {
    return parents.findLast(test) ?? program;
  }
}

function isFunctionScope(node: Node): boolean {
  return node.type === "Program" || isFunction(node) || node.type === "StaticBlock";
}

function isScope(node: Node): boolean {
  return (
    isFunctionScope(node) ||
    node.type === "BlockStatement" ||
    node.type === "SwitchStatement" ||
    isLoop(node) ||
    node.type === "CatchClause"
  );
}

const LOOPS: ReadonlySet<string> = new Set(
  ["For", "ForIn", "ForOf", "While", "DoWhile"].map((kind) => `${kind}Statement`),
);

export function isLoop(node: Node | undefined): boolean {
  return node !== undefined && LOOPS.has(node.type);
}
