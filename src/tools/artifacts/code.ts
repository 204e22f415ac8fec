import { parseSync } from "oxc-parser";
import type { ArtifactIssue } from "../../protocol/events.ts";
import { issueAt } from "./source.ts";

const SCRIPTS: Record<string, "js" | "jsx" | "ts" | "tsx"> = {
  javascript: "jsx",
  js: "jsx",
  mjs: "jsx",
  jsx: "jsx",
  typescript: "ts",
  ts: "ts",
  tsx: "tsx",
};

/** Source code is shown as it is. A fence around it is removed, and syntax errors are reported. */
export function processCode(
  original: string,
  language: string | undefined,
): { code: string; issues: ArtifactIssue[]; language?: string } {
  const issues: ArtifactIssue[] = [];
  const fence = /^\s*(`{3,20}(?!`)|~{3,20}(?!~))([\w+#.-]*)[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(original);
  const code = fence?.[3] ?? original;
  if (fence) issues.push({ severity: "fixed", message: "A Markdown fence around the code was removed." });
  const named = language ?? (fence?.[2] || undefined);
  const script = SCRIPTS[named?.toLowerCase() ?? ""];
  if (script) {
    const [error] = parseSync(`artifact.${script}`, code, { lang: script, sourceType: "module" }).errors;
    if (error) issues.push(issueAt("warning", error.message, code, error.labels[0]?.start ?? 0));
  } else if (named?.toLowerCase() === "json") issues.push(...jsonIssues(code));
  return { code, issues, language: named };
}

function jsonIssues(code: string): ArtifactIssue[] {
  try {
    JSON.parse(code);
    return [];
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : "This is not JSON.";
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? 0);
    return [issueAt("warning", message.replace(/ \(line.*\)$/, ""), code, at)];
  }
}
