import type { LanguageRegistration } from "shiki/core";

type Grammar = () => Promise<{ default: LanguageRegistration[] }>;

const GRAMMARS: Record<string, Grammar> = {
  typescript: () => import("shiki/langs/typescript.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  bash: () => import("shiki/langs/bash.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  r: () => import("shiki/langs/r.mjs"),
  dart: () => import("shiki/langs/dart.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  mermaid: () => import("shiki/langs/mermaid.mjs"),
  vue: () => import("shiki/langs/vue.mjs"),
  svelte: () => import("shiki/langs/svelte.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
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
