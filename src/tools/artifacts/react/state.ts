import type MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { settersOf } from "./attributes.ts";
import { boundIn, namesOf } from "./names.ts";
import { contains, freeName } from "./nodes.ts";
import { type Node, type Program, walk } from "./parse.ts";

/** Methods that change a list and return something useful. */
const RETURNING: ReadonlySet<string> = new Set(["sort", "reverse", "splice", "fill", "copyWithin"]);
const MUTATING: ReadonlySet<string> = new Set([...RETURNING, "push", "pop", "shift", "unshift"]);

/** React only notices a new value, so code that changes state in place is made to work on a copy. */
export function fixState(code: string, program: Program, text: MagicString): ArtifactIssue[] {
  const issues: ArtifactIssue[] = [];
  const setters = settersOf(program);
  if (setters.size === 0 && !/\bprops\b|\(\s*\{/.test(code)) return issues;
  const { declared, references } = namesOf(program);
  const once = (name: string) => declared.get(name)?.length === 1;
  const states = new Set([...setters.values()].filter(once));
  const readOnly = new Set([...states, ...propsOf(program).filter(once)]);
  const fixed = (message: string, node: Node) => issues.push(issueAt("fixed", message, code, node.start));
  const copied = new Set<Node>();

  walk(program, (node, parents) => {
    if (node.type === "CallExpression") {
      if (fixSetterArgument(node, states, setters, text, code)) {
        fixed("State was changed in place; a new list is set now.", node);
        return false;
      }
      const updater = updaterOf(node, setters);
      if (updater) fixUpdater(updater, text, code, fixed);
      copyBeforeUse(node, parents, readOnly, text, code, fixed);
    }
    if (node.type === "BlockStatement") copyInBlock(node);
    return undefined;
  });
  return issues;

  /** Handles statements that change state in place, followed by a call that sets the same value. */
  function copyInBlock(block: Extract<Node, { type: "BlockStatement" }>): void {
    for (const [index, statement] of block.body.entries()) {
      const change = changeOf(statement);
      if (!change || !states.has(change.name) || copied.has(block)) continue;
      const setter = [...setters].find(([, state]) => state === change.name)?.[0];
      const rest = block.body.slice(index);
      const sets = rest.some((one) => setsSame(one, setter, change.name));
      if (!sets || declaresState(block, change.name)) continue;
      copied.add(block);
      const wanted = `next${change.name[0]?.toUpperCase()}${change.name.slice(1)}`;
      const copy = freeName(wanted, (name) => declared.has(name));
      text.appendLeft(
        statement.start,
        `const ${copy} = ${copyOf(change)};\n${indentOf(code, statement.start)}`,
      );
      const end = rest.at(-1)?.end ?? statement.end;
      for (const { name, node, parent } of references) {
        if (name !== change.name || node.start < statement.start || node.end > end) continue;
        if (parent.type === "Property" && parent.shorthand)
          text.overwrite(node.start, node.end, `${name}: ${copy}`);
        else text.overwrite(node.start, node.end, copy);
      }
      fixed(`“${change.name}” was changed in place; a copy is changed and set now.`, statement);
    }
  }
}

interface Change {
  name: string;
  list: boolean;
}

function copyOf({ name, list }: Change): string {
  return list ? `[...${name}]` : `{ ...${name} }`;
}

/** The variable that a statement changes in place. */
function changeOf(statement: Node): Change | undefined {
  if (statement.type !== "ExpressionStatement") return undefined;
  const { expression } = statement;
  if (expression.type === "CallExpression" && expression.callee.type === "MemberExpression") {
    const { object, property, computed } = expression.callee;
    if (computed || property.type !== "Identifier" || !MUTATING.has(property.name)) return undefined;
    return rootOf(object, true);
  }
  if (expression.type === "AssignmentExpression" && expression.left.type === "MemberExpression")
    return rootOf(expression.left, false);
  if (expression.type === "UpdateExpression" && expression.argument.type === "MemberExpression")
    return rootOf(expression.argument, false);
  if (expression.type === "UnaryExpression" && expression.operator === "delete")
    return rootOf(expression.argument, false);
  return undefined;
}

/** The variable `a` of `a.b[0].c`, and whether it is used as a list. */
function rootOf(node: Node, listMethod: boolean): Change | undefined {
  let list = listMethod;
  let at = node;
  while (at.type === "MemberExpression") {
    const { object, property, computed } = at;
    const isText = property.type === "Literal" && typeof property.value === "string";
    list = computed ? !isText : property.type === "Identifier" && property.name === "length";
    at = object;
  }
  return at.type === "Identifier" ? { name: at.name, list } : undefined;
}

/** Whether the setter is called with the same variable somewhere in the node. */
function setsSame(root: Node, setter: string | undefined, name: string): boolean {
  return contains(root, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier" || node.callee.name !== setter)
      return false;
    const [first] = node.arguments;
    return first !== undefined && mentions(first, name);
  });
}

function mentions(root: Node, name: string): boolean {
  let found = false;
  walk(root, (node) => {
    if (node.type === "Identifier" && node.name === name) found = true;
    return !found && node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression";
  });
  return found;
}

function declaresState(block: { body: Node[] }, name: string): boolean {
  return block.body.some(
    (one) =>
      one.type === "VariableDeclaration" &&
      one.declarations.some(({ id }) => boundIn(id).some((bound) => bound.name === name)),
  );
}

/** `setItems(items.push(x))`: `push` returns a number, and `splice` the removed items. */
function fixSetterArgument(
  call: Node,
  states: ReadonlySet<string>,
  setters: ReadonlyMap<string, string>,
  text: MagicString,
  code: string,
): boolean {
  if (call.type !== "CallExpression" || call.callee.type !== "Identifier" || !setters.has(call.callee.name))
    return false;
  const [argument] = call.arguments;
  const arrow = argument?.type === "ArrowFunctionExpression" ? argument : undefined;
  const value = arrow ? arrow.body : argument;
  const parameter = arrow ? boundIn(arrow.params[0] as Node)[0]?.name : undefined;
  if (value?.type !== "CallExpression" || value.callee.type !== "MemberExpression") return false;
  const { object, property } = value.callee;
  if (object.type !== "Identifier" || property.type !== "Identifier") return false;
  if (!states.has(object.name) && object.name !== parameter) return false;
  const given = value.arguments.map(({ start, end }) => code.slice(start, end)).join(", ");
  const written: Record<string, string> = {
    push: `[...${object.name}, ${given}]`,
    unshift: `[${given}, ...${object.name}]`,
    splice: `${object.name}.toSpliced(${given})`,
    pop: `${object.name}.slice(0, -1)`,
    shift: `${object.name}.slice(1)`,
  };
  const replacement = Object.hasOwn(written, property.name) ? written[property.name] : undefined;
  if (replacement === undefined) return false;
  text.overwrite(value.start, value.end, replacement);
  return true;
}

/** The function in `setItems((previous) => …)`. */
function updaterOf(call: Node, setters: ReadonlyMap<string, string>): Node | undefined {
  if (call.type !== "CallExpression" || call.callee.type !== "Identifier" || !setters.has(call.callee.name))
    return undefined;
  const [updater] = call.arguments;
  return updater?.type === "ArrowFunctionExpression" || updater?.type === "FunctionExpression"
    ? updater
    : undefined;
}

function fixUpdater(
  updater: Node,
  text: MagicString,
  code: string,
  fixed: (message: string, node: Node) => void,
): void {
  if (updater.type !== "ArrowFunctionExpression" && updater.type !== "FunctionExpression") return;
  const parameter = updater.params[0] as Node | undefined;
  if (parameter?.type !== "Identifier" || !updater.body) return;
  const { name } = parameter;
  let change: Change | undefined;
  walk(updater.body as Node, (node, parents) => {
    const found = changeOf(node);
    if (found?.name === name) change ??= found;
    copyBeforeUse(node, parents, new Set([name]), text, code, fixed);
    return undefined;
  });
  const { body } = updater;
  if (!change || body.type !== "BlockStatement") return;
  const [first] = body.body;
  if (!first || code.slice(first.start, first.end).startsWith(`${name} = ${copyOf(change)}`)) return;
  text.appendLeft(first.start, `${name} = ${copyOf(change)};\n${indentOf(code, first.start)}`);
  fixed(`“${name}” was changed in place; it is a copy now.`, updater);
}

/** `items.sort()` where the result is used: a copy is sorted instead. */
function copyBeforeUse(
  call: Node,
  parents: readonly Node[],
  readOnly: ReadonlySet<string>,
  text: MagicString,
  code: string,
  fixed: (message: string, node: Node) => void,
): void {
  if (call.type !== "CallExpression" || call.callee.type !== "MemberExpression") return;
  const { object, property, computed } = call.callee;
  if (computed || property.type !== "Identifier" || !RETURNING.has(property.name)) return;
  if (parents.at(-1)?.type === "ExpressionStatement") return;
  const root = rootOf(object, true);
  if (!root || !readOnly.has(root.name) || !/^(?:Identifier|MemberExpression)$/.test(object.type)) return;
  if (text.slice(object.start, object.end) !== code.slice(object.start, object.end)) return;
  text.overwrite(object.start, object.end, `[...${code.slice(object.start, object.end)}]`);
  fixed(`“${property.name}” would change state in place; it works on a copy now.`, call);
}

/** The names of the props of all components. */
function propsOf(program: Program): string[] {
  const names: string[] = [];
  walk(program, (node, parents) => {
    if (
      node.type !== "FunctionDeclaration" &&
      node.type !== "ArrowFunctionExpression" &&
      node.type !== "FunctionExpression"
    )
      return;
    const parent = parents.at(-1);
    const name =
      (node.type !== "ArrowFunctionExpression" && node.id?.name) ||
      (parent?.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "");
    if (!/^[A-Z]/.test(name)) return;
    const [first] = node.params as Node[];
    names.push(...boundIn(first).map((one) => one.name));
  });
  return names;
}

function indentOf(code: string, at: number): string {
  return /[ \t]*$/.exec(code.slice(0, at))?.[0] ?? "";
}
