import type { ArtifactIssue } from "../../protocol/events.ts";
import { parseJson } from "../../protocol/json.ts";

export interface Unwrapped {
  code: string;
  issues: ArtifactIssue[];
}

const FENCE = /^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$/gm;
const WRAPPER =
  /^\s*<(artifact|antArtifact|code|response|output|answer|result)\b[^>]*>\s*\n([\s\S]*?)\n?\s*(?:<\/\1>\s*)?$/;

/**
 * Extracts code that a model wrapped in Markdown fences, an XML element or JSON. Text for which `isCode` returns true stays
 * as it is.
 */
export function unwrap(text: string, isCode: (text: string) => boolean): Unwrapped {
  const issues: ArtifactIssue[] = [];
  let code = text.replace(/^\uFEFF/, "");
  if (isCode(code)) return { code, issues };
  const json = codeInJson(code);
  if (json !== undefined) {
    code = json;
    issues.push({ severity: "fixed", message: "The code was packed into a JSON text." });
  }
  const element = WRAPPER.exec(code)?.[2];
  if (element !== undefined) {
    code = element;
    issues.push({ severity: "fixed", message: "The code was packed into its own element." });
  }
  if (isCode(code)) return { code, issues };
  const fenced = codeInFences(code);
  if (fenced === undefined) return { code, issues };
  issues.push({ severity: "fixed", message: "Markdown fences around the code were removed." });
  return { code: fenced, issues };
}

/** The largest fenced block; an unclosed block reaches to the end. */
function codeInFences(text: string): string | undefined {
  const fences = [...text.matchAll(FENCE)];
  const [first] = fences;
  if (!first) return undefined;
  const blocks: string[] = [];
  for (let at = 0; at < fences.length; ) {
    const open = fences[at];
    if (!open) break;
    const mark = open[1] ?? "";
    const from = open.index + open[0].length + 1;
    const close = fences.findIndex(
      (fence, index) => index > at && fence[2] === "" && (fence[1] ?? "").startsWith(mark),
    );
    // A closing fence without an opening one: the code comes before it.
    if (close === -1 && at === 0 && open[2] === "" && open.index > 0) return text.slice(0, open.index);
    blocks.push(text.slice(from, close === -1 ? text.length : fences[close]?.index));
    if (close === -1) break;
    at = close + 1;
  }
  return blocks.reduce((longest, block) => (block.length > longest.length ? block : longest), "");
}

/** Code in a JSON object or string. */
function codeInJson(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[{"]/.test(trimmed)) return undefined;
  const value = parseJson(trimmed);
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const found = Object.entries(value).find(
    ([name, inner]) =>
      /^(code|content|artifact|source|component|artifactCode)$/.test(name) && typeof inner === "string",
  );
  return found?.[1] as string | undefined;
}
