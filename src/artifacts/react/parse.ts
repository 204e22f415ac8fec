import { type Node, type OxcError, type Program, parseSync, visitorKeys } from "oxc-parser";

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

/** Steps ask about the same text one after the other: the newest answers are kept, and no more than a few. */
const recent = new Map<string, ReturnType<typeof parseSync>>();
const MAX_RECENT = 4;

function parseOnce(code: string): ReturnType<typeof parseSync> {
  const known = recent.get(code);
  if (known) return known;
  const result = parseSync("artifact.tsx", code, { sourceType: "module" });
  recent.set(code, result);
  const [oldest] = recent.keys();
  if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
  return result;
}

/** Parses a module with JSX and types; the first syntax error is answered, not thrown. */
export function parseModule(code: string): Parsed {
  const result = parseOnce(code);
  const [first] = result.errors;
  return {
    get program() {
      return result.program;
    },
    problem: first && toProblem(first),
  };
}

/** The first syntax error of a module, without building its tree. */
export function problemOf(code: string): Problem | undefined {
  const [first] = parseOnce(code).errors;
  return first && toProblem(first);
}

/** What is wrong with names and scopes in a module that parses. */
export function semanticProblems(code: string): Problem[] {
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

/** Visits every node from the outside in; `parents` holds what encloses it, nearest last. */
export function walk(
  root: Node,
  visit: (node: Node, parents: readonly Node[]) => boolean | undefined | undefined,
): void {
  const parents: Node[] = [];
  const enter = (node: Node): void => {
    if (visit(node, parents) === false) return;
    parents.push(node);
    for (const key of visitorKeys[node.type] ?? []) {
      const inner = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key];
      if (Array.isArray(inner)) {
        for (const one of inner) if (one) enter(one);
      } else if (inner) enter(inner);
    }
    parents.pop();
  };
  enter(root);
}
