import { Parser } from "htmlparser2";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { unwrap } from "./fences.ts";
import { VOID_ELEMENTS } from "./react/brackets.ts";
import { problemOf } from "./react/parse.ts";
import { repairSyntax } from "./react/repair.ts";
import { applyEdits, decodeEntities, type Edit, issueAt } from "./source.ts";

const MARKUP = /^\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype|[a-z][\w-]*[\s>/])/i;

/** Repairs an HTML page. Browsers tolerate broken HTML, but not broken scripts. */
export function processHtml(original: string): { code: string; issues: ArtifactIssue[] } {
  const { code: unwrapped, issues } = unwrap(
    original,
    (text) => MARKUP.test(text) && !/^[ \t]*```/m.test(text),
  );
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
  issues.push(...unclosed(code).slice(0, 5));
  return { code, issues };
}

/** Removes text before and after the document. */
function withoutProse(code: string, issues: ArtifactIssue[]): string {
  const start = /<!doctype|<html\b/i.exec(code);
  const end = /<\/html\s*>/i.exec(code);
  const isProse = (text: string) => text.trim() !== "" && !/<\w/.test(text);
  const from = start && isProse(code.slice(0, start.index)) ? start.index : 0;
  const endsAt = end ? end.index + end[0].length : code.length;
  const to = isProse(code.slice(endsAt)) ? endsAt : code.length;
  if (from > 0 || to < code.length)
    issues.push({ severity: "fixed", message: "Words around the page were removed." });
  return code.slice(from, to);
}

/** Parses the scripts of a page, repairs them like components, and reports what still fails. */
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
        const message = `“${address}” is not loaded: artifacts have no network.`;
        if (!/tailwindcss/i.test(address)) issues.push(issueAt("warning", message, code, parser.startIndex));
      }
    },
    onclosetag(name) {
      if (name !== "script" || !script) return;
      const { start } = script;
      const text = code.slice(start, parser.startIndex);
      script = undefined;
      if (text.trim() === "" || !problemOf(text)) return;
      const repaired = repairSyntax(text);
      const { problem } = repaired;
      if (problem) {
        const at = start + Math.min(text.length, problem.start);
        issues.push(issueAt("error", problem.message, code, at));
        return;
      }
      edits.push({ start, end: start + text.length, text: repaired.code });
      issues.push(...repaired.issues.map(({ severity, message }) => issueAt(severity, message, code, start)));
    },
  });
  parser.end(code);
  return applyEdits(code, edits);
}

/** Elements whose end tag is optional in HTML. */
const OPTIONAL_END = new Set(
  "p li dt dd option optgroup tr td th thead tbody tfoot colgroup rt rp html head body".split(" "),
);

/** Reports the elements of a page that are never closed. */
function unclosed(code: string): ArtifactIssue[] {
  const issues: ArtifactIssue[] = [];
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
        issues.push(issueAt("warning", `<${name}> is never closed.`, code, last.at));
      },
    },
    { lowerCaseTags: true, recognizeSelfClosing: true },
  );
  parser.end(code);
  return issues;
}
