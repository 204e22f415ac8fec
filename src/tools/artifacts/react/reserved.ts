import MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import type { Changed } from "./exports.ts";
import { namesOf, rename } from "./names.ts";
import { type Program, semanticProblems, walk } from "./parse.ts";

/** A look before the work: most code has none of them. */
const STRICT_WORDS =
  /\b(?:package|interface|private|protected|public|static|implements|let|yield|await|eval|arguments)\b/;

/** Renames words that only modules reserve, and calls of what was renamed before: `delete(x)` parses as an operator. */
export function fixReserved(code: string, program: Program, renamed: ReadonlyMap<string, string>): Changed {
  const issues: ArtifactIssue[] = [];
  const words = new Set(
    (STRICT_WORDS.test(code) ? semanticProblems(code) : []).flatMap(
      ({ message }) => /keyword '(\w+)' is reserved/i.exec(message)?.[1] ?? [],
    ),
  );
  const deletion = renamed.get("delete");
  if (words.size === 0 && deletion === undefined) return { code, issues };
  const text = new MagicString(code);
  const names = namesOf(program);
  for (const word of words) {
    let name = `${word}Value`;
    while (names.declared.has(name)) name += "_";
    rename(text, names, word, name);
    const at = names.declared.get(word)?.[0]?.start ?? 0;
    issues.push(issueAt("fixed", `“${word}” is a reserved word; it is called “${name}” now.`, code, at));
  }
  if (deletion !== undefined) {
    walk(program, (node) => {
      if (
        node.type === "UnaryExpression" &&
        node.operator === "delete" &&
        node.argument.type === "ParenthesizedExpression"
      )
        text.overwrite(node.start, node.start + "delete".length, deletion);
      return undefined;
    });
  }
  return { code: text.toString(), issues };
}
