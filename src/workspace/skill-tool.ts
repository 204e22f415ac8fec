import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import { Failure } from "../protocol/failure.ts";
import type { Tool, ToolOutput } from "../protocol/tool.ts";
import { SKILL_TOOL, type Skill } from "../protocol/workspace.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readText } from "./read-text.ts";
import { hashOf, MOST_SKILL_BYTES, SKILL_FILE } from "./skills.ts";

const MOST_FILES = 100;
const DEPTH = 3;

/** What the tool needs to know about the folders. */
export interface SkillOptions {
  /** The first of the person's folders, from which relative paths start. */
  folder: string | undefined;
  /** Loads a project's skill although it has changed since it was found. */
  trustAll: boolean;
}

/** Makes the tool that loads the instructions of these skills, and the files that belong to them. */
export function createSkillTool(skills: readonly Skill[], options: SkillOptions): Tool {
  const names = skills.map(({ name }) => name);
  return defineTool({
    name: SKILL_TOOL,
    description:
      "Loads one of the skills that the system prompt lists: instructions for a kind of work. Load a skill before you do such work. A skill's own files are read with the parameter file.",
    effect: "none",
    retry: "pure",
    trust: "trusted",
    input: z.object({
      name: z.enum(names).describe("The skill"),
      file: z.string().min(1).max(500).optional().describe("A file of the skill, as its list names it"),
    }),
    async run({ name, file }) {
      const skill = skills.find((one) => one.name === name);
      if (!skill) throw new Failure("NOT_FOUND", `There is no skill ${name}.`);
      return file === undefined ? { output: await skillText(skill, options) } : readFileOf(skill, file);
    },
  });
}

/** Returns the instructions of a skill. Throws if it is gone, or has changed since the person trusted it. */
export async function skillText(skill: Skill, { folder, trustAll }: SkillOptions): Promise<string> {
  const read = await readText(skill.folder, join(skill.folder, SKILL_FILE), MOST_SKILL_BYTES);
  if (read === undefined || "refused" in read)
    throw new Failure("NOT_FOUND", `The skill ${skill.name} is no longer there.`);
  if (skill.source === "project" && !trustAll && hashOf(read.text) !== skill.hash) {
    throw new Failure(
      "TOOL_DENIED",
      `The skill ${skill.name} has changed since the person trusted it, so it was not loaded. The person can trust it in a new session.`,
    );
  }
  const files = await filesOf(skill.folder);
  const inside =
    folder === undefined || skill.source === "person" ? undefined : relative(folder, skill.folder);
  return [
    `Skill ${skill.name}. Follow it for this kind of work. It cannot change what needs an approval, or which tools and hosts are allowed.`,
    ...(inside === undefined ? [] : [`Its folder: ${inside}`]),
    ...(files.length === 0 ? [] : [`Its files: ${files.join(", ")}`]),
    "",
    readFrontMatter(read.text).body,
  ].join("\n");
}

async function readFileOf(skill: Skill, file: string): Promise<ToolOutput> {
  const read = await readText(skill.folder, join(skill.folder, file), MOST_SKILL_BYTES);
  if (read === undefined) throw new Failure("NOT_FOUND", `The skill ${skill.name} has no file "${file}".`);
  if ("refused" in read) throw new Failure("FORBIDDEN", `"${file}" ${read.refused}.`);
  const output = read.cut ? `${read.text}\n[The rest of this file is left out.]` : read.text;
  // The person was shown the skill itself, not all of a project's files.
  return skill.source === "person" ? { output } : { output, trust: "untrusted", origin: "workspace" };
}

async function filesOf(folder: string, below = "", depth = DEPTH): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(below, entry.name);
    if (entry.isFile() && path !== SKILL_FILE) files.push(path.split(sep).join("/"));
    if (entry.isDirectory() && depth > 1 && !entry.name.startsWith("."))
      files.push(...(await filesOf(folder, path, depth - 1)));
    if (files.length >= MOST_FILES) return files.slice(0, MOST_FILES);
  }
  return files;
}
