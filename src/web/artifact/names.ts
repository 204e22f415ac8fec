import { isObject } from "../../protocol/json.ts";
import type { ArtifactState, ToolCallState } from "../../protocol/reduce.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import type { IconName } from "../ui/icons.tsx";

type ArtifactType = NonNullable<ArtifactState["artifactType"]>;

const KINDS: Record<ArtifactType, { text: TextKey; icon: IconName }> = {
  react: { text: "kindPage", icon: "artifact" },
  html: { text: "kindPage", icon: "artifact" },
  svg: { text: "kindDrawing", icon: "edit" },
  mermaid: { text: "kindDiagram", icon: "chart" },
  markdown: { text: "kindDocument", icon: "file" },
  code: { text: "kindCode", icon: "terminal" },
};

/** Returns the title of what a call makes, also while it is being made. */
export function titleOf({ artifact, arguments: args }: ToolCallState): string {
  const asked = isObject(args) && typeof args.title === "string" ? args.title.trim() : "";
  return artifact?.title ?? (asked || t("artifact"));
}

/** Returns the word for an artifact of a type. */
export function kindOfType(type: ArtifactType = "react"): TextKey {
  return KINDS[type].text;
}

/** Returns the icon for an artifact of a type. */
export function iconOfType(type: ArtifactType = "react"): IconName {
  return KINDS[type].icon;
}

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
