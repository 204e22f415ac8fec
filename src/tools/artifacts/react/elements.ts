import type MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import { namesOf } from "./names.ts";
import { isElement, tagOf, withoutParentheses } from "./nodes.ts";
import { type Node, type Program, walk } from "./parse.ts";

/** Elements that belong to a document, not to a component. */
const DOCUMENT_ONLY = new Set(["title", "meta", "link", "base", "script"]);

/** Removes document elements from a component, and fixes elements that React would not show. */
export function fixElements(code: string, program: Program, text: MagicString): ArtifactIssue[] {
  const issues: ArtifactIssue[] = [];
  const fixed = (message: string, node: Node) => issues.push(issueAt("fixed", message, code, node.start));
  const { declared } = namesOf(program);
  const aliases = new Map<string, string>();
  walk(program, (node, parents) => {
    if (node.type === "JSXElement") {
      const { openingElement: open, closingElement: close } = node;
      const tag = tagOf(open);
      if (tag === "html" || tag === "head") {
        text.overwrite(open.start, open.end, "<>");
        if (close) text.overwrite(close.start, close.end, "</>");
        fixed(`A component has no <${tag}>.`, node);
      } else if (tag === "body") {
        text.overwrite(open.name.start, open.name.end, "div");
        if (close) text.overwrite(close.name.start, close.name.end, "div");
        fixed("A component has no <body>; it is a <div> now.", node);
      } else if (DOCUMENT_ONLY.has(tag) && isInHead(parents)) {
        text.remove(node.start, node.end);
        fixed(`<${tag}> belongs to a document, not to a component.`, node);
        return false;
      } else if (/^[a-z]/.test(tag) && /[A-Z]/.test(tag) && declared.has(tag)) {
        const alias = `${tag[0]?.toUpperCase()}${tag.slice(1)}`;
        if (declared.has(alias)) return undefined;
        aliases.set(tag, alias);
        text.overwrite(open.name.start, open.name.end, alias);
        if (close) text.overwrite(close.name.start, close.name.end, alias);
        fixed(`<${tag}> would be an HTML element; components begin with a capital.`, node);
      }
    }
    if (node.type === "BlockStatement") joinReturns(node, text, fixed);
    return undefined;
  });
  for (const [name, alias] of aliases) text.append(`\nconst ${alias} = ${name};\n`);
  return issues;
}

function isInHead(parents: readonly Node[]): boolean {
  return parents.some(
    (one) => one.type === "JSXElement" && /^(?:head|html)$/.test(tagOf(one.openingElement)),
  );
}

/** Joins a `return` that is alone on its line with the element below it. */
function joinReturns(block: Node, text: MagicString, fixed: (message: string, node: Node) => void): void {
  if (block.type !== "BlockStatement") return;
  for (const [index, statement] of block.body.entries()) {
    const next = block.body[index + 1];
    if (statement.type !== "ReturnStatement" || statement.argument || next?.type !== "ExpressionStatement")
      continue;
    const { expression } = next;
    if (!isElement(withoutParentheses(expression))) continue;
    text.overwrite(statement.start, next.start, "return (");
    if (next.end > expression.end) text.remove(expression.end, next.end);
    text.appendLeft(next.end, ");");
    fixed("“return” stood alone on its line, so nothing was returned.", statement);
  }
}
