import { Marked } from "marked";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { issueAt } from "./source.ts";

/** Removes a fence around a whole Markdown document, and closes an open one. */
export function processMarkdown(original: string): { code: string; issues: ArtifactIssue[] } {
  const issues: ArtifactIssue[] = [];
  let code = original;
  const inside = insideOfFence(code);
  if (inside !== undefined) {
    code = inside;
    issues.push({ severity: "fixed", message: "A fence around the whole text was removed." });
  }
  const open = openFence(code);
  if (open) {
    code = `${code.replace(/\n*$/, "\n")}${open.mark}\n`;
    issues.push(issueAt("fixed", "A code block was never closed.", code, open.at));
  }
  const script = /<script\b/i.exec(htmlIn(code));
  if (script) issues.push({ severity: "warning", message: "Scripts in Markdown do not run." });
  return { code, issues };
}

/** The document inside a fence around everything. It may contain fences itself. */
function insideOfFence(code: string): string | undefined {
  const match = /^\s*(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n([\s\S]*)\n\1[ \t]*\s*$/i.exec(code);
  if (!match?.[2]) return undefined;
  const named = /^\s*(?:`{3,}|~{3,})(?:markdown|md)/i.test(code);
  const fences = match[2].match(/^[ \t]*(?:`{3,}|~{3,})/gm)?.length ?? 0;
  return named || (fences % 2 === 0 && /^#|\n#/.test(match[2])) ? match[2] : undefined;
}

function openFence(code: string): { mark: string; at: number } | undefined {
  let open: { mark: string; at: number } | undefined;
  let at = 0;
  for (const line of code.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (mark?.[1]) {
      if (!open) open = { mark: mark[1], at };
      else if (mark[1].startsWith(open.mark) && mark[2]?.trim() === "") open = undefined;
    }
    at += line.length + 1;
  }
  return open;
}

/** The HTML in a Markdown text, without code blocks. */
function htmlIn(code: string): string {
  let html = "";
  const marked = new Marked();
  marked.walkTokens(marked.lexer(code), (token) => {
    if (token.type === "html") html += token.raw;
  });
  return html;
}
