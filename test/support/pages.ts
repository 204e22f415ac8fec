import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** A code block on a page: a command, a file or data. */
export interface Snippet {
  page: string;
  line: number;
  language: string;
  /** The path of a file, which the page names after the language: `~/.tackle/policy.json`. */
  file: string;
  code: string;
  /** The output that the page shows right below; `…` stands for anything. */
  printed: string | undefined;
}

/** Returns all documentation pages, as paths from the root. */
export function listPages(): string[] {
  return ["README.md", ...globSync("docs/**/*.md", { cwd: root }).sort()];
}

/** Returns the snippets of a page, in order. A block of `text` belongs to the one above it. */
export function readSnippets(page: string): Snippet[] {
  const text = readFileSync(join(root, page), "utf8");
  const fences = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [language = "", file = ""] = (match[1] ?? "").split(" ");
    const line = text.slice(0, match.index).split("\n").length;
    return { page, line, language, file, code: match[2] ?? "", printed: undefined };
  });
  const snippets: Snippet[] = [];
  for (const fence of fences) {
    const above = snippets.at(-1);
    if (fence.language !== "text") snippets.push(fence);
    else if (above) above.printed = fence.code;
  }
  return snippets;
}

/** Returns true if the text is what the page shows; `…` stands for anything. */
export function looksLike(text: string, shown: string): boolean {
  const pieces = shown.trimEnd().split("…");
  const pattern = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*?");
  return new RegExp(`^${pattern}$`).test(text.trimEnd());
}
