import type { ArtifactType } from "../../artifacts/pipeline.ts";

const LONGEST = 60;
const NAMES: Record<ArtifactType, string> = {
  react: "Component",
  html: "Page",
  svg: "Drawing",
  mermaid: "Diagram",
  markdown: "Document",
  code: "Code",
};

/** A title for what has none: what it calls itself, or the beginning of the wish. */
export function titleFor(type: ArtifactType, prompt: string | undefined, code: string): string {
  const own = ownTitle(type, code);
  const title = own ?? prompt?.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  if (title === "") return NAMES[type];
  const characters = [...title];
  return characters.length <= LONGEST
    ? title
    : `${characters
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`;
}

function ownTitle(type: ArtifactType, code: string): string | undefined {
  const found =
    type === "html" || type === "svg"
      ? /<title[^>]*>([^<]{1,100})</i.exec(code)?.[1]
      : type === "markdown"
        ? /^#\s+(.{1,100})$/m.exec(code)?.[1]
        : type === "react"
          ? /export default (?:function |class )?([A-Z]\w*)/
              .exec(code)?.[1]
              ?.replace(/(?<=[a-z])(?=[A-Z])/g, " ")
          : undefined;
  const text = found?.trim();
  return text === undefined || text === "" || text === "App" ? undefined : text;
}
