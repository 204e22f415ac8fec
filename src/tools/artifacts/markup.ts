import { Parser } from "htmlparser2";
import { VOID_ELEMENTS } from "./react/brackets.ts";

/** An element that is not closed. */
export interface MarkupProblem {
  message: string;
  at: number;
}

/** Elements whose end tag is optional in HTML. */
const OPTIONAL_END = new Set(
  "p li dt dd option optgroup tr td th thead tbody tfoot colgroup rt rp html head body".split(" "),
);

/** Lists the elements of an HTML page that are never closed. */
export function unbalanced(code: string): MarkupProblem[] {
  const problems: MarkupProblem[] = [];
  const open: { name: string; at: number }[] = [];
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push({ name, at: parser.startIndex });
      },
      onclosetag(name, implied) {
        const last = open.pop();
        if (!implied || !last || VOID_ELEMENTS.has(name)) return;
        const selfClosed = code[parser.endIndex - 1] === "/" && parser.endIndex > last.at;
        if (selfClosed || OPTIONAL_END.has(name)) return;
        problems.push({ message: `<${name}> is never closed.`, at: last.at });
      },
    },
    { lowerCaseTags: true, recognizeSelfClosing: true },
  );
  parser.end(code);
  return problems;
}
