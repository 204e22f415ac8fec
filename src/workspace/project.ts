import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { byteSize } from "../protocol/byte-size.ts";
import type { Skill, WorkspaceText } from "../protocol/workspace.ts";
import { readText } from "./read-text.ts";
import { findSkills, hashOf } from "./skills.ts";

/** The first of these that a folder has counts. */
export const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"];
const SKILL_PLACES = [join(".agents", "skills"), join(".claude", "skills")];
/** All instructions together may be this long. */
const MOST_INSTRUCTION_BYTES = 32 * 1024;
const MOST_PARENTS = 40;

/** The path is the one that the person knows: relative to the folder. */
export type Instruction = WorkspaceText["instructions"][number];

/** What the files of one folder, and of its parents in the same repository, say. */
export interface Project {
  folder: string;
  /** Farthest first. */
  instructions: Instruction[];
  skills: Skill[];
  /** The hash of all of it. Undefined if there is nothing. */
  hash: string | undefined;
  warnings: string[];
}

/** Reads the instructions and skills of a folder and of its parents, up to the repository that it belongs to. */
export async function readProject(folder: string): Promise<Project> {
  const chain = await foldersUpToRepository(folder);
  const base = chain.at(-1) ?? folder;
  const instructions: Instruction[] = [];
  const warnings: string[] = [];
  for (const one of chain) {
    const found = await instructionsOf(base, one);
    if (found === undefined) continue;
    const path = relative(folder, found.file);
    if ("refused" in found) warnings.push(`${path} is left out: it ${found.refused}.`);
    else instructions.unshift({ path, text: found.text });
  }
  const places = chain.flatMap((one) => SKILL_PLACES.map((place) => join(one, place)));
  const { skills, warnings: left } = await findSkills(base, places, "project");
  const nothing = instructions.length === 0 && skills.length === 0;
  return {
    folder,
    instructions,
    skills,
    hash: nothing
      ? undefined
      : hashOf(JSON.stringify([instructions, skills.map(({ name, hash }) => [name, hash])])),
    warnings: [...warnings, ...left],
  };
}

/** Returns the instructions that one folder has itself. */
export async function instructionsOf(
  base: string,
  folder: string,
): Promise<({ file: string } & ({ text: string } | { refused: string })) | undefined> {
  for (const name of INSTRUCTION_FILES) {
    const file = join(folder, name);
    const read = await readText(base, file, MOST_INSTRUCTION_BYTES);
    if (read === undefined) continue;
    if ("refused" in read) return { file, ...read };
    const text = read.text.trim();
    if (text !== "") return { file, text: read.cut ? `${text}\n[The rest of this file is left out.]` : text };
  }
  return undefined;
}

/** Returns the folder and its parents, nearest first, up to the one with `.git`; only the folder where there is none. */
async function foldersUpToRepository(folder: string): Promise<string[]> {
  const chain: string[] = [];
  let one = folder;
  for (let depth = 0; depth < MOST_PARENTS; depth++) {
    chain.push(one);
    if (await exists(join(one, ".git"))) return chain;
    const parent = dirname(one);
    if (parent === one) break;
    one = parent;
  }
  return [folder];
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Keeps the nearest instructions whole, and cuts those that are farther away. */
export function limitInstructions(all: readonly Instruction[]): {
  instructions: Instruction[];
  warnings: string[];
} {
  let left = MOST_INSTRUCTION_BYTES;
  const kept: Instruction[] = [];
  const cut: string[] = [];
  for (const { path, text } of all.toReversed()) {
    const bytes = Buffer.from(text);
    if (bytes.length > left) cut.push(path);
    const part =
      bytes.length <= left
        ? text
        : bytes
            .subarray(0, left)
            .toString("utf8")
            .replace(/\uFFFD+$/, "");
    if (part !== "") kept.unshift({ path, text: part });
    left -= Math.min(left, bytes.length);
  }
  const warnings =
    cut.length === 0
      ? []
      : [
          `Instructions are used up to ${byteSize(MOST_INSTRUCTION_BYTES)} together. Cut or left out: ${cut.join(", ")}.`,
        ];
  return { instructions: kept, warnings };
}
