import type { ProjectKey } from "../text/projects.ts";

/** Tools as people think of them. */
export const TOOL_GROUPS = {
  web: "toolsWeb",
  files: "toolsFiles",
  pages: "toolsPages",
  images: "toolsImages",
  services: "toolsServices",
} as const satisfies Record<string, ProjectKey>;

export type ToolGroup = keyof typeof TOOL_GROUPS;

const MEMBERS: readonly (readonly [RegExp, ToolGroup])[] = [
  [/^(?:browser\.search|web_search\w*|web_fetch)$/, "web"],
  [/^(?:filesystem|execute_command|command_output|stop_command)$/, "files"],
  [/^generate_artifact$/, "pages"],
  [/^generate_image$/, "images"],
];
/** What every chat has: the time, questions, lists, memory. */
const COMMON = /^(?:get_time|todo|ask_user|propose_plan|delegate|read_result|remember|search_files)$/;

/** Returns the tools of a group. */
export function toolsOf(group: ToolGroup, names: readonly string[]): string[] {
  return names.filter((name) => !COMMON.test(name) && groupOf(name) === group);
}

/** Returns the groups that there are tools of. */
export function groupsOf(names: readonly string[]): ToolGroup[] {
  return (Object.keys(TOOL_GROUPS) as ToolGroup[]).filter((group) => toolsOf(group, names).length > 0);
}

/** Returns true if some tools of a group are chosen. */
export function isOn(group: ToolGroup, chosen: readonly string[], names: readonly string[]): boolean {
  return toolsOf(group, names).some((name) => chosen.includes(name));
}

function groupOf(name: string): ToolGroup {
  return MEMBERS.find(([pattern]) => pattern.test(name))?.[1] ?? "services";
}
