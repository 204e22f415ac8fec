import MagicString from "magic-string";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { issueAt } from "../source.ts";
import type { Changed } from "./exports.ts";
import { namesOf, rename } from "./names.ts";
import { freeName } from "./nodes.ts";
import { type Program, semanticProblems, walk } from "./parse.ts";

/** Most code has none of these words, so a quick test comes first. */
const STRICT_WORDS =
  /\b(?:package|interface|private|protected|public|static|implements|let|yield|await|eval|arguments)\b/;

/** Renames words that only modules reserve. Also renames `delete(x)`, which parses as an operator, where `delete` was renamed. */
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
    const name = freeName(`${word}Value`, (one) => names.declared.has(one));
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
