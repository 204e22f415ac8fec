import type { ToolListing } from "../../protocol/chat.ts";
import { t } from "../text/choosing.ts";

export interface ToolGroup {
  name: string;
  hint: string;
  /** The names of its tools. */
  tools: string[];
}

type Kind = "Web" | "Files" | "Artifacts" | "Images" | "Memory" | "Other";
const KINDS: readonly Kind[] = ["Web", "Files", "Artifacts", "Images", "Memory", "Other"];
const KIND_OF: Readonly<Record<string, Kind>> = {
  "browser.search": "Web",
  web_fetch: "Web",
  filesystem: "Files",
  execute_command: "Files",
  command_output: "Files",
  stop_command: "Files",
  generate_artifact: "Artifacts",
  generate_image: "Images",
  remember: "Memory",
};

/** Returns the tools by what they are for, then by the service that they come from. */
export function toolGroups(tools: readonly ToolListing[], folders: readonly string[] = []): ToolGroup[] {
  const [folder, ...others] = folders;
  const place = others.length === 0 && folder?.split(/[/\\]/).findLast(Boolean);
  const ours = Map.groupBy(
    tools.filter(({ source }) => source === "built-in"),
    ({ name }) => (name.startsWith("web_search") ? "Web" : (KIND_OF[name] ?? "Other")),
  );
  const services = Map.groupBy(
    tools.filter(({ source }) => source !== "built-in"),
    ({ source }) => source,
  );
  return [
    ...KINDS.flatMap((kind) => {
      const found = ours.get(kind);
      if (!found) return [];
      const hint = kind === "Files" && place ? t("groupFilesIn", { folder: place }) : t(`group${kind}Hint`);
      return [{ name: t(`group${kind}`), hint, tools: namesOf(found) }];
    }),
    ...[...services].map(([source, found]) => ({
      name: source === "user" || source === "program" ? t("groupOwn") : source.replace(/^openapi:/, ""),
      hint: t("groupService", { count: found.length }),
      tools: namesOf(found),
    })),
  ];
}

function namesOf(tools: readonly ToolListing[]): string[] {
  return tools.map(({ name }) => name);
}
