import type { ArtifactType } from "../../artifacts/pipeline.ts";

const MAX_LENGTH = 60;
const NAMES: Record<ArtifactType, string> = {
  react: "Component",
  html: "Page",
  svg: "Drawing",
  mermaid: "Diagram",
  markdown: "Document",
  code: "Code",
};

/** Makes up a title: the artifact's own, or the beginning of the prompt. */
export function titleFor(type: ArtifactType, prompt: string | undefined, code: string): string {
  const own = ownTitle(type, code);
  const title = own ?? prompt?.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  if (title === "") return NAMES[type];
  const characters = [...title];
  return characters.length <= MAX_LENGTH
    ? title
    : `${characters
        .slice(0, MAX_LENGTH - 1)
        .join("")
        .trimEnd()}…`;
}

// Ends at the next `<`, so that no text makes it read on from each of its tags to the end.
const ELEMENT = /<title(?:\s[^<>]*)?>([^<]{1,100})</i;
/** Where the code of a type has its title. */
const TITLES: Partial<Record<ArtifactType, RegExp>> = {
  html: ELEMENT,
  svg: ELEMENT,
  markdown: /^#\s+(.{1,100})$/m,
  react: /export default (?:function |class )?([A-Z]\w*)/,
};

function ownTitle(type: ArtifactType, code: string): string | undefined {
  const found = TITLES[type]?.exec(code)?.[1];
  const text = (type === "react" ? found?.replace(/(?<=[a-z])(?=[A-Z])/g, " ") : found)?.trim();
  return text === undefined || text === "" || text === "App" ? undefined : text;
}
