import { type Node, walk } from "./parse.ts";

/** The name of the called function: `render` for `root.render(…)`. Empty for anything but such a call. */
export function calleeName(node: Node | null | undefined): string {
  if (node?.type !== "CallExpression") return "";
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier"
    ? callee.property.name
    : "";
}

export function isElement(node: Node): boolean {
  return node.type === "JSXElement" || node.type === "JSXFragment";
}

/** The name of an HTML element or component; empty for `<a.b>`. */
export function tagOf(node: Node | undefined): string {
  return node?.type === "JSXOpeningElement" && node.name.type === "JSXIdentifier" ? node.name.name : "";
}

/** The declaration in an export statement, or the statement itself. */
export function withoutExport(statement: Node): Node {
  const exports =
    statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
  return (exports && statement.declaration) || statement;
}

export function withoutParentheses(node: Node): Node {
  return node.type === "ParenthesizedExpression" ? withoutParentheses(node.expression) : node;
}

/** Whether a node or something inside it passes a test. */
export function contains(root: Node, test: (node: Node) => boolean): boolean {
  let found = false;
  walk(root, (node) => {
    found ||= test(node);
    return !found;
  });
  return found;
}

/** A name that is not taken: the wanted one, with underscores appended where needed. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted;
  while (isTaken(name)) name += "_";
  return name;
}
