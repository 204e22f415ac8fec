import { createHash } from "node:crypto";
import { opendir } from "node:fs/promises";
import { basename, join } from "node:path";
import { byteSize } from "../protocol/byte-size.ts";
import type { Skill } from "../protocol/workspace.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readText } from "./read-text.ts";

export const SKILL_FILE = "SKILL.md";
/** A longer SKILL.md is not loaded. */
export const MOST_SKILL_BYTES = 256 * 1024;
const MOST_FOLDERS = 500;
const MOST_SKILLS = 100;
const MOST_DESCRIPTION = 1_024;
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The skills of one place. Each problem is a sentence for the person. */
export interface FoundSkills {
  skills: Skill[];
  warnings: string[];
}

/** Finds the skills in folders, nearest first: of two with the same name, the first counts. `base` bounds links. */
export async function findSkills(
  base: string,
  places: readonly string[],
  source: Skill["source"],
): Promise<FoundSkills> {
  const found = new Map<string, Skill>();
  const warnings: string[] = [];
  for (const place of places) {
    for (const folder of await foldersIn(place)) {
      const skill = await readSkill(base, join(place, folder), source);
      if (skill === undefined) continue;
      if (typeof skill === "string") warnings.push(`The skill ${shown(folder)} is left out: ${skill}.`);
      else if (found.size >= MOST_SKILLS)
        warnings.push(`The skill ${skill.name} is left out: there are too many.`);
      else if (!found.has(skill.name)) found.set(skill.name, skill);
    }
  }
  return { skills: [...found.values()], warnings };
}

/** Returns the skill of a folder, a reason why it is left out, or undefined if it is none. */
async function readSkill(
  base: string,
  folder: string,
  source: Skill["source"],
): Promise<Skill | string | undefined> {
  const read = await readText(base, join(folder, SKILL_FILE), MOST_SKILL_BYTES);
  if (read === undefined) return undefined;
  if ("refused" in read) return `${SKILL_FILE} ${read.refused}`;
  if (read.cut) return `${SKILL_FILE} is longer than ${byteSize(MOST_SKILL_BYTES)}`;
  const { values } = readFrontMatter(read.text);
  const name = [values.get("name"), basename(folder)].find((one) => one !== undefined && NAME.test(one));
  if (name === undefined) return "its name may only hold a–z, 0–9 and single hyphens";
  const description = plain(values.get("description") ?? "").slice(0, MOST_DESCRIPTION);
  if (description === "") return "it has no description";
  return { name, description, source, folder, hash: hashOf(read.text) };
}

/** Returns the hash of a text. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function foldersIn(place: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(place)) {
      if (entry.isDirectory() || entry.isSymbolicLink()) names.push(entry.name);
      if (names.length >= MOST_FOLDERS) break;
    }
  } catch (error) {
    // Most folders have no skills.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  return names.sort();
}

function shown(name: string): string {
  return plain(name).slice(0, 64);
}

function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
