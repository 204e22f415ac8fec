import type { Attachment, ToolListing } from "../../protocol/chat.ts";
import type { Project, ProjectFile } from "../../protocol/projects.ts";
import type { SavedPrompt } from "../../protocol/prompt-fields.ts";
import type { WorkspaceListing } from "../../protocol/workspace.ts";
import { t } from "../text/choosing.ts";
import { toolGroups } from "./tool-groups.ts";
import { isBuiltIn, toolName, toolPurpose } from "./tool-names.ts";

export type ComposerItem = { key: string; label: string; hint: string } & (
  | { type: "prompt"; prompt: SavedPrompt }
  | { type: "command"; text: string }
  | { type: "file"; file: Attachment }
  | { type: "mention"; text: string }
  | { type: "project"; project: Project }
  | { type: "tool"; name: string }
  | { type: "manage" }
);

export interface ComposerGroup {
  heading: string;
  items: ComposerItem[];
}

interface Known {
  prompts: readonly SavedPrompt[];
  tools: readonly ToolListing[];
  workspace: Pick<WorkspaceListing, "skills" | "trusted"> | undefined;
  files: readonly Attachment[];
  project: Project | undefined;
  projectFiles: readonly ProjectFile[];
  projects: readonly Project[];
}

const MOST = 50;
/** Of each kind, while nothing is typed that tells them apart. */
const FIRST = 8;

/** Returns what a slash offers: saved prompts, skills, prompts of connected services, then commands of the app. */
export function slashGroups(known: Pick<Known, "prompts" | "tools" | "workspace">, query: string) {
  const { prompts, tools, workspace } = known;
  // The person has not yet decided whether the texts of the folder may be used.
  const skills = workspace?.skills.filter(({ source }) => source === "person" || workspace.trusted) ?? [];
  const groups: ComposerGroup[] = [
    {
      heading: t("groupPrompts"),
      items: prompts.map((prompt) => ({
        type: "prompt",
        key: prompt.id,
        label: `/${prompt.name}`,
        hint: prompt.description ?? prompt.text.split("\n")[0] ?? "",
        prompt,
      })),
    },
    {
      heading: t("groupSkills"),
      items: skills.map(({ name, description }) => commandItem(name, description)),
    },
    {
      heading: t("groupServicePrompts"),
      items: tools.flatMap(({ source, commands = [] }) =>
        commands.map(({ name, description }) => commandItem(`${source}.${name}`, description)),
      ),
    },
    { heading: t("groupCommands"), items: [commandItem("compact", t("compactHint"))] },
  ];
  const manage: ComposerItem = { type: "manage", key: "manage", label: t("managePrompts"), hint: "" };
  return [...found(groups, query, MOST), { heading: "", items: [manage] }];
}

function commandItem(name: string, hint: string): ComposerItem {
  return { type: "command", key: `/${name}`, label: `/${name}`, hint, text: `/${name} ` };
}

/** Returns what an @ offers: files of the person and of the project, projects, and tools. */
export function atGroups(known: Omit<Known, "prompts" | "workspace">, query: string): ComposerGroup[] {
  const { files, project, projectFiles, projects, tools } = known;
  const groups: ComposerGroup[] = [
    {
      heading: t("fileMenu"),
      items: files
        .filter(({ name }) => name !== undefined)
        .map((file) => ({
          type: "file",
          key: file.fileId,
          label: file.name ?? "",
          hint: t("attachFile"),
          file,
        })),
    },
    {
      heading: t("groupProjectFiles", { name: project?.name ?? "" }),
      items: projectFiles.map(({ fileId, name }) => ({
        type: "mention",
        key: `project ${fileId}`,
        label: name,
        hint: t("mentionFile"),
        text: `“${name}” `,
      })),
    },
    {
      heading: t("groupProjects"),
      items: projects
        .filter(({ id }) => id !== project?.id)
        .map((one) => ({
          type: "project",
          key: one.id,
          label: one.name,
          hint: t("chatInProject"),
          project: one,
        })),
    },
    {
      heading: t("groupTools"),
      items: inOrder(tools).map(({ name, description }) => ({
        type: "tool",
        key: `tool ${name}`,
        label: toolName(name),
        hint: toolPurpose(name) ?? /^[^.\n]*/.exec(description)?.[0] ?? "",
        name,
      })),
    },
  ];
  return found(groups, query, query === "" ? FIRST : MOST);
}

/** Tools that only follow up on another call, so people do not ask for them. */
const FOLLOWING = ["command_output", "stop_command", "read_result"];

/** The tools that a message may ask for, in the order of the list of tools. Two that do the same are one to people. */
function inOrder(tools: readonly ToolListing[]): ToolListing[] {
  const order = toolGroups(tools).flatMap((group) => group.tools);
  const sorted = tools
    .filter(({ name }) => !FOLLOWING.includes(name))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const names = sorted.map(({ name }) => toolName(name));
  return sorted.filter(({ name }, at) => !isBuiltIn(name) || names.indexOf(toolName(name)) === at);
}

function found(groups: readonly ComposerGroup[], query: string, most: number): ComposerGroup[] {
  return groups.flatMap(({ heading, items }) => {
    const some = items.filter((item) => {
      // Tools may also be called by the names that models use.
      const names = item.type === "tool" ? `${item.label} ${item.name}` : item.label.replace(/^\//, "");
      return matches(query, names, item.hint);
    });
    return some.length > 0 ? [{ heading, items: some.slice(0, most) }] : [];
  });
}

/** The beginning of a name, or any part of it or of the hint. */
function matches(query: string, name: string, hint: string): boolean {
  const wanted = query.toLowerCase().replaceAll("_", " ");
  return (
    name.toLowerCase().replaceAll("_", " ").includes(wanted) ||
    (wanted.length > 2 && hint.toLowerCase().includes(wanted))
  );
}
