import { Parser } from "htmlparser2";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { unwrap } from "./fences.ts";
import { unbalanced } from "./markup.ts";
import { problemOf } from "./react/parse.ts";
import { repairSyntax } from "./react/repair.ts";
import { applyEdits, decodeEntities, type Edit, issueAt } from "./source.ts";

const MARKUP = /^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype|[a-z][\w-]*[\s>/])/i;

/** Takes a page from whatever a model wrote to one that shows: HTML forgives much, scripts do not. */
export function processHtml(original: string): { code: string; issues: ArtifactIssue[] } {
  const { code: unwrapped, issues } = unwrap(original, (text) => MARKUP.test(text) && !/^\s*```/m.test(text));
  let code = unwrapped;
  if (!/<[a-z!]/i.test(code) && /&lt;[a-z!]/i.test(code)) {
    code = decodeEntities(code);
    issues.push({ severity: "fixed", message: "The page was written with HTML entities." });
  }
  code = withoutProse(code, issues);
  if (!/<[a-z!]/i.test(code)) {
    issues.push({ severity: "error", message: "There is no HTML in it." });
    return { code, issues };
  }
  code = fixScripts(code, issues);
  for (const { message, at } of unbalanced(code, false).slice(0, 5))
    issues.push(issueAt("warning", message, code, at));
  return { code, issues };
}

/** Words before the first tag and behind the end of the document. */
function withoutProse(code: string, issues: ArtifactIssue[]): string {
  const start = /<!doctype|<html\b/i.exec(code);
  const end = /<\/html\s*>/i.exec(code);
  let from = 0;
  let to = code.length;
  if (start && code.slice(0, start.index).trim() !== "" && !/<\w/.test(code.slice(0, start.index)))
    from = start.index;
  if (
    end &&
    code.slice(end.index + end[0].length).trim() !== "" &&
    !/<\w/.test(code.slice(end.index + end[0].length))
  )
    to = end.index + end[0].length;
  if (from > 0 || to < code.length)
    issues.push({ severity: "fixed", message: "Words around the page were removed." });
  return code.slice(from, to);
}

/** Scripts are parsed; what the parser cannot read is mended as in a component, what still fails is told. */
function fixScripts(code: string, issues: ArtifactIssue[]): string {
  const edits: Edit[] = [];
  let script: { start: number; kind: string } | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "script" && attributes.src === undefined) {
        const kind = attributes.type ?? "";
        if (kind === "" || /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i.test(kind))
          script = { start: parser.endIndex + 1, kind };
      } else if (/^https?:|^\/\//.test(attributes.src ?? (name === "link" ? (attributes.href ?? "") : ""))) {
        const address = (attributes.src ?? attributes.href ?? "").slice(0, 200);
        if (!/tailwindcss/i.test(address))
          issues.push(
            issueAt(
              "warning",
              `“${address}” is not loaded: artifacts have no network.`,
              code,
              parser.startIndex,
            ),
          );
      }
    },
    onclosetag(name) {
      if (name !== "script" || !script) return;
      const { start } = script;
      const text = code.slice(start, parser.startIndex);
      script = undefined;
      if (text.trim() === "" || !problemOf(text)) return;
      const repaired = repairSyntax(text);
      if (repaired.problem) {
        issues.push(
          issueAt(
            "error",
            repaired.problem.message,
            code,
            start + Math.min(text.length, repaired.problem.start),
          ),
        );
        return;
      }
      edits.push({ start, end: start + text.length, text: repaired.code });
      issues.push(...repaired.issues.map(({ severity, message }) => issueAt(severity, message, code, start)));
    },
  });
  parser.end(code);
  return applyEdits(code, edits);
}
