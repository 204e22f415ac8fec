import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** A piece of code on a page: something to run, a file to put somewhere, or data. */
export interface Snippet {
  page: string;
  line: number;
  language: string;
  /** Where a file belongs, as the page names it behind the language: `~/.tackle/policy.json`. */
  file: string;
  code: string;
  /** What the page shows right below as printed; `…` stands for anything. */
  printed: string | undefined;
}

/** All pages that people read, as paths from the root. */
export function listPages(): string[] {
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...docs.sort().map((name) => `docs/${name}`)];
}

/** The snippets of a page, in order. A block of `text` belongs to the one above it. */
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

/** True where the text is what the page shows, `…` standing for anything. */
export function looksLike(text: string, shown: string): boolean {
  const pieces = shown.trimEnd().split("…");
  const pattern = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*?");
  return new RegExp(`^${pattern}$`).test(text.trimEnd());
}
