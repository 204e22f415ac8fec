import { mentions } from "./mutations.ts";
import { contains } from "./nodes.ts";
import type { Node } from "./parse.ts";
import { isFunction, isLoop } from "./scopes.ts";

/** A statement in a list of statements around a node, innermost first. */
export interface Place {
  /** The block, case or module with the list. */
  owner: Node;
  list: readonly Node[];
  statement: Node;
  /** The nodes around the statement. */
  parents: readonly Node[];
  /** The list runs in a loop, or in a callback that runs once per element. */
  inLoop: boolean;
}

/** The places around a node, up to the function that it runs in. */
export function placesOf(node: Node, parents: readonly Node[]): Place[] {
  const places: Place[] = [];
  const end = runsIn(parents);
  for (let at = parents.length - 1; at >= 0 && parents[at] !== end; at--) {
    const owner = parents[at] as Node;
    if (isLoop(owner) || isFunction(owner)) for (const place of places) place.inLoop = true;
    const list = statementsOf(owner);
    const statement = parents[at + 1] ?? node;
    if (list) places.push({ owner, list, statement, parents: parents.slice(0, at + 1), inLoop: false });
  }
  return places;
}

/** The function that a node runs in. Callbacks that a list method calls at once belong to the function around them. */
export function runsIn(parents: readonly Node[]): Node | undefined {
  const at = parents.findLastIndex(
    (node, index) => isFunction(node) && !isCallback(node, parents[index - 1]),
  );
  return parents[at];
}

function statementsOf(node: Node): readonly Node[] | undefined {
  if (node.type === "BlockStatement" || node.type === "Program" || node.type === "StaticBlock")
    return node.body;
  return node.type === "SwitchCase" ? node.consequent : undefined;
}

/** A function that a list method calls at once. */
function isCallback(node: Node, call: Node | undefined): boolean {
  if (call?.type !== "CallExpression" || call.callee.type !== "MemberExpression") return false;
  const { property } = call.callee;
  const name = property.type === "Identifier" ? property.name : "";
  return (
    call.arguments.some((one) => one === node) && /^(?:forEach|map|filter|reduce|some|every)$/.test(name)
  );
}

/** The nearest function around a node. */
export function functionAround(parents: readonly Node[]): Node | undefined {
  return parents.findLast((node) => isFunction(node));
}

/** The statements from a place to the end of its list. */
export function fromHere({ list, statement }: Place): readonly Node[] {
  return list.slice(list.indexOf(statement));
}

/** True if a name is handed to a call: to the given function, or to any. */
export function isPassedOn(root: Node, name: string, to?: string): boolean {
  return contains(root, (node) => {
    if (node.type !== "CallExpression") return false;
    if (to !== undefined && !(node.callee.type === "Identifier" && node.callee.name === to)) return false;
    return node.arguments.some((argument) => mentions(argument, name));
  });
}

/** True if a statement before these places assigns something to exactly this target. */
export function isAssignedBefore(target: string, places: readonly Place[], code: string): boolean {
  return places.some(({ list, statement }) =>
    list.slice(0, list.indexOf(statement)).some((one) => {
      if (one.type !== "ExpressionStatement" || one.expression.type !== "AssignmentExpression") return false;
      const { left, operator } = one.expression;
      return operator === "=" && code.slice(left.start, left.end) === target;
    }),
  );
}
