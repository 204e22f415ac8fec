const ENDINGS: Record<string, string> = {
  react: "tsx",
  html: "html",
  svg: "svg",
  mermaid: "mmd",
  markdown: "md",
  python: "py",
  typescript: "ts",
  javascript: "js",
  json: "json",
  css: "css",
  bash: "sh",
  sql: "sql",
  go: "go",
  rust: "rs",
};

/** Returns a file name for an artifact. */
export function fileNameOf(title: string, type: string, language?: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  const ending = ENDINGS[type === "code" ? (language ?? "") : type] ?? "txt";
  return `${name || "artifact"}.${ending}`;
}
