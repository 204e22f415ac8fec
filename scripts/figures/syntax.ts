import { parseSync } from "oxc-parser";
import { isObject } from "../../src/protocol/json.ts";
import type { Source } from "./sources.ts";

/** A place in the sources and its number of lines. */
export interface Place {
  path: string;
  line: number;
  lines: number;
}

/** The findings in the syntax trees of the sources. */
export interface SyntaxFigures {
  doubleCasts: Place[];
  anys: Place[];
  nonNulls: Place[];
  longFunctions: Place[];
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const LONG_FUNCTION = 90;

/** Counts `as unknown as`, `any`, `!` and long functions. */
export function readSyntax(sources: Source[]): SyntaxFigures {
  const figures: SyntaxFigures = { doubleCasts: [], anys: [], nonNulls: [], longFunctions: [] };
  for (const source of sources) {
    const lineAt = lineFinder(source.text);
    visit(parseSync(source.path, source.text).program, (node) => {
      const first = lineAt(node.start);
      const place = { path: source.path, line: first, lines: lineAt(node.end) - first + 1 };
      if (isDoubleCast(node)) figures.doubleCasts.push(place);
      else if (node.type === "TSAnyKeyword") figures.anys.push(place);
      else if (node.type === "TSNonNullExpression") figures.nonNulls.push(place);
      else if (FUNCTIONS.has(node.type)) {
        const lines = place.lines - innerLines(node, lineAt);
        if (lines > LONG_FUNCTION) figures.longFunctions.push({ ...place, lines });
      }
    });
  }
  return figures;
}

interface Node extends Record<string, unknown> {
  type: string;
  start: number;
  end: number;
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === "string" && typeof value.start === "number";
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  if (!isNode(value)) return;
  see(value);
  for (const child of Object.values(value)) if (typeof child === "object") visit(child, see);
}

/** The lines of the functions directly inside of a function. What is left of a closure without them is its own code. */
function innerLines(outer: Node, lineAt: (offset: number) => number): number {
  let lines = 0;
  const count = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) count(item);
    if (!isNode(value)) return;
    if (FUNCTIONS.has(value.type)) lines += lineAt(value.end) - lineAt(value.start);
    else for (const child of Object.values(value)) if (typeof child === "object") count(child);
  };
  for (const child of Object.values(outer)) if (typeof child === "object") count(child);
  return lines;
}

function isDoubleCast({ type, expression }: Node): boolean {
  if (type !== "TSAsExpression" || !isNode(expression) || expression.type !== "TSAsExpression") return false;
  return isNode(expression.typeAnnotation) && expression.typeAnnotation.type === "TSUnknownKeyword";
}

function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
