import type MagicString from "magic-string";
import { type Node, type Program, remembered, walk } from "./parse.ts";

export interface Reference {
  name: string;
  node: Node & { name: string };
  /** Used as an element: `<Name …>`. */
  jsx: boolean;
  parent: Node;
}

export interface Names {
  /** Every declared name, with the nodes that declare it. */
  declared: Map<string, Node[]>;
  references: Reference[];
}

/** The names that a pattern binds. */
export function boundIn(pattern: Node | null | undefined): (Node & { name: string })[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern as Node & { name: string }];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) =>
        boundIn(one.type === "RestElement" ? one.argument : one.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((one) => boundIn(one));
    case "AssignmentPattern":
      return boundIn(pattern.left);
    case "RestElement":
      return boundIn(pattern.argument);
    default:
      return [];
  }
}

/** Collects declarations and references. Scopes are ignored: a name declared anywhere counts as known. */
export function namesOf(program: Program): Names {
  return remembered(program, NAMES, () => collectNames(program));
}

const NAMES = Symbol("names");

function collectNames(program: Program): Names {
  const declared = new Map<string, Node[]>();
  const bindings = new Set<Node>();
  const references: Reference[] = [];
  const declare = (nodes: (Node & { name: string })[]) => {
    for (const node of nodes) {
      bindings.add(node);
      declared.set(node.name, [...(declared.get(node.name) ?? []), node]);
    }
  };
  walk(program, (node, parents) => {
    switch (node.type) {
      case "VariableDeclarator":
        declare(boundIn(node.id));
        break;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        if (node.type !== "ArrowFunctionExpression" && node.id) declare(boundIn(node.id));
        for (const parameter of node.params) declare(boundIn(parameter as Node));
        break;
      case "ClassDeclaration":
      case "ClassExpression":
        if (node.id) declare(boundIn(node.id));
        break;
      case "ImportSpecifier":
      case "ImportDefaultSpecifier":
      case "ImportNamespaceSpecifier":
        declare(boundIn(node.local));
        break;
      case "CatchClause":
        declare(boundIn(node.param));
        break;
      default:
    }
    const parent = parents.at(-1);
    if (!parent) return undefined;
    if (node.type === "JSXIdentifier") {
      const named =
        ((parent.type === "JSXOpeningElement" || parent.type === "JSXClosingElement") &&
          parent.name === node) ||
        (parent.type === "JSXMemberExpression" && parent.object === node);
      const component = /^[A-Z_$]/.test(node.name) || parent.type === "JSXMemberExpression";
      if (named && component) references.push({ name: node.name, node, jsx: true, parent });
    } else if (node.type === "Identifier" && !isNoVariable(node, parent)) {
      references.push({ name: node.name, node: node as Node & { name: string }, jsx: false, parent });
    }
    return undefined;
  });
  return { declared, references: references.filter(({ node }) => !bindings.has(node)) };
}

/** Whether an identifier is a property, key or label instead of a variable. */
function isNoVariable(node: Node, parent: Node): boolean {
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return parent.key === node && !parent.computed && !parent.shorthand;
    case "MethodDefinition":
    case "PropertyDefinition":
      return parent.key === node && !parent.computed;
    case "ImportSpecifier":
    case "ExportSpecifier":
      return parent.type === "ImportSpecifier" || parent.exported === node;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
      return true;
    default:
      return false;
  }
}

/** Renames a variable wherever it is declared or used. */
export function rename(text: MagicString, { declared, references }: Names, name: string, to: string): void {
  const uses = references.filter((reference) => reference.name === name);
  const shorthand = new Set(
    uses.flatMap(({ node, parent }) => (parent.type === "Property" && parent.shorthand ? [node.start] : [])),
  );
  const places = new Set(
    [...(declared.get(name) ?? []), ...uses.map(({ node }) => node)].map(({ start }) => start),
  );
  for (const start of places)
    text.overwrite(start, start + name.length, shorthand.has(start) ? `${name}: ${to}` : to);
}
