import type { LanguageRegistration } from "@shikijs/primitive";

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

const GRAMMARS: Record<string, Grammar> = {
  typescript: () => import("@shikijs/langs/typescript"),
  tsx: () => import("@shikijs/langs/tsx"),
  javascript: () => import("@shikijs/langs/javascript"),
  jsx: () => import("@shikijs/langs/jsx"),
  json: () => import("@shikijs/langs/json"),
  python: () => import("@shikijs/langs/python"),
  bash: () => import("@shikijs/langs/bash"),
  html: () => import("@shikijs/langs/html"),
  css: () => import("@shikijs/langs/css"),
  scss: () => import("@shikijs/langs/scss"),
  xml: () => import("@shikijs/langs/xml"),
  yaml: () => import("@shikijs/langs/yaml"),
  toml: () => import("@shikijs/langs/toml"),
  ini: () => import("@shikijs/langs/ini"),
  markdown: () => import("@shikijs/langs/markdown"),
  sql: () => import("@shikijs/langs/sql"),
  go: () => import("@shikijs/langs/go"),
  rust: () => import("@shikijs/langs/rust"),
  java: () => import("@shikijs/langs/java"),
  kotlin: () => import("@shikijs/langs/kotlin"),
  swift: () => import("@shikijs/langs/swift"),
  c: () => import("@shikijs/langs/c"),
  cpp: () => import("@shikijs/langs/cpp"),
  csharp: () => import("@shikijs/langs/csharp"),
  php: () => import("@shikijs/langs/php"),
  ruby: () => import("@shikijs/langs/ruby"),
  lua: () => import("@shikijs/langs/lua"),
  r: () => import("@shikijs/langs/r"),
  dart: () => import("@shikijs/langs/dart"),
  diff: () => import("@shikijs/langs/diff"),
  docker: () => import("@shikijs/langs/docker"),
  powershell: () => import("@shikijs/langs/powershell"),
  mermaid: () => import("@shikijs/langs/mermaid"),
  vue: () => import("@shikijs/langs/vue"),
  svelte: () => import("@shikijs/langs/svelte"),
  graphql: () => import("@shikijs/langs/graphql"),
};

/** Other usual names of these languages. */
const ALIASES: Record<string, string> = {
  typescript: "ts mts cts",
  javascript: "js mjs cjs node",
  jsx: "react",
  json: "jsonc json5",
  python: "py",
  bash: "sh shell zsh console shellscript",
  html: "htm",
  xml: "svg",
  yaml: "yml",
  ini: "env",
  markdown: "md",
  go: "golang",
  rust: "rs",
  kotlin: "kt",
  c: "h",
  cpp: "c++ cc hpp",
  csharp: "cs c#",
  ruby: "rb",
  diff: "patch",
  docker: "dockerfile",
  powershell: "ps1",
};
const NAME_OF_ALIAS = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) => aliases.split(" ").map((alias) => [alias, name])),
);

/** Returns what loads the grammar of a language, by any of its usual names; undefined for an unknown language. */
export function grammarOf(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  const known = NAME_OF_ALIAS.get(name) ?? name;
  return Object.hasOwn(GRAMMARS, known) ? GRAMMARS[known] : undefined;
}
