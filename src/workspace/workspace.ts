import { existsSync } from "node:fs";
import { release, type } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import {
  NESTED_INSTRUCTIONS,
  type Workspace,
  type WorkspaceListing,
  type WorkspaceText,
} from "../protocol/workspace.ts";
import { gitChangesOf, gitStateOf, type ReadByCommand } from "./git.ts";
import {
  INSTRUCTION_FILES,
  instructionsOf,
  limitInstructions,
  type Project,
  readProject,
} from "./project.ts";
import { isInside, realPath } from "./read-text.ts";
import { createSkillTool, skillText } from "./skill-tool.ts";
import { findSkills, hashOf } from "./skills.ts";

export interface WorkspaceOptions {
  roots: readonly string[];
  /** Where the person's own AGENTS.md and skills are. */
  dataDir: string;
  /** Uses what projects say without asking. */
  trustAll: boolean;
  store: Pick<Store, "getSettings" | "putSetting">;
  /** Without it, the number of changed files is not reported. */
  readByCommand?: ReadByCommand | undefined;
}

/** The settings of the server itself. */
const SERVER = "";

/** Reads what folders tell a model, and keeps what the person trusts. */
export function createWorkspace({
  roots,
  dataDir,
  trustAll,
  store,
  readByCommand,
}: WorkspaceOptions): Workspace {
  const skillOptions = { folder: roots[0] && resolve(roots[0]), trustAll };
  const projects = () => Promise.all(roots.map((root) => readProject(resolve(root))));
  const ownPaths = [...INSTRUCTION_FILES, "skills"].map((name) => join(dataDir, name));

  async function isTrusted({ folder, hash }: Pick<Project, "folder" | "hash">): Promise<boolean> {
    if (hash === undefined || trustAll) return true;
    return (await decisionOn(folder, hash)) === true;
  }

  /** What was decided about the files with this hash. */
  async function decisionOn(folder: string, hash: string | undefined): Promise<boolean | undefined> {
    const known = (await store.getSettings(SERVER))[settingOf(folder)];
    return isObject(known) && known.hash === hash ? known.trusted === true : undefined;
  }

  async function read(principal: Principal): Promise<WorkspaceText | undefined> {
    if (principal.kind === "guest") return undefined;
    const owner = principal.kind === "owner";
    // Most people have nothing, and every new session asks. The database beside these files is read in this thread too.
    if (roots.length === 0 && !(owner && ownPaths.some((path) => existsSync(path)))) return undefined;
    const all = await projects();
    const trusted: Project[] = [];
    for (const project of all) if (await isTrusted(project)) trusted.push(project);
    const own = owner ? await readOwn(dataDir) : NOTHING;
    const limited = limitInstructions([...own.instructions, ...trusted.flatMap((one) => one.instructions)]);
    // A project's skill takes precedence over one of the person's with the same name.
    const skills = new Map(
      [...own.skills, ...trusted.toReversed().flatMap((one) => one.skills)].map((skill) => [
        skill.name,
        skill,
      ]),
    );
    const text: WorkspaceText = {
      ...(owner && roots[0] !== undefined ? { place: `${resolve(roots[0])} (${type()} ${release()})` } : {}),
      instructions: limited.instructions,
      skills: [...skills.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),
      projects: trusted.flatMap(({ folder, hash }) => (hash === undefined ? [] : [{ folder, hash }])),
      ...(trusted.length < all.length ? { untrusted: true } : {}),
      warnings: [...own.warnings, ...trusted.flatMap(({ warnings }) => warnings), ...limited.warnings],
    };
    const isEmpty = text.instructions.length + text.skills.length === 0 && !text.place && !text.untrusted;
    return isEmpty ? undefined : text;
  }

  async function list(principal: Principal): Promise<WorkspaceListing> {
    if (principal.kind === "guest")
      return { folders: [], instructions: [], skills: [], trusted: true, warnings: [] };
    const all = await projects();
    const own = principal.kind === "owner" ? await readOwn(dataDir) : NOTHING;
    const found = [
      { source: "person" as const, folder: dataDir, ...own },
      ...all.map((project) => ({ source: "project" as const, ...project })),
    ];
    const hash = combinedHash(all);
    const open: Project[] = [];
    for (const project of all) if (!(await isTrusted(project))) open.push(project);
    const decided = await Promise.all(open.map((project) => decisionOn(project.folder, project.hash)));
    return {
      // Only operators are told where the folders are.
      folders: mayTrust(principal) ? roots.map((root) => resolve(root)) : [],
      instructions: found.flatMap(({ source, instructions }) =>
        instructions.map((one) => ({ source, ...one })),
      ),
      skills: found.flatMap(({ source, folder, skills }) =>
        skills.map((skill) => ({
          name: skill.name,
          description: skill.description,
          source,
          path: relative(folder, skill.folder),
        })),
      ),
      hash,
      trusted: open.length === 0,
      ...(open.length > 0 && decided.every((one) => one === false) ? { declined: true as const } : {}),
      warnings: found.flatMap(({ warnings }) => warnings),
    };
  }

  return {
    read,
    list,
    async holds(text) {
      if (text.untrusted) return false;
      return (await Promise.all(text.projects.map(isTrusted))).every(Boolean);
    },
    async trust(principal, hash, trusted = true) {
      if (!mayTrust(principal))
        throw new Failure("FORBIDDEN", "Only the owner of this server can trust a folder.");
      const all = await projects();
      if (hash !== undefined && combinedHash(all) !== hash)
        throw new Failure("CONFLICT", "The folder has changed since you looked at it. Look at it again.");
      for (const project of all) {
        const value =
          hash === undefined || project.hash === undefined ? undefined : { hash: project.hash, trusted };
        await store.putSetting(SERVER, settingOf(project.folder), value);
      }
      return list(principal);
    },
    skillTool: (skills) => createSkillTool(skills, skillOptions),
    skillText: (skill) => skillText(skill, skillOptions),
    async nestedInstructions(path, given) {
      const place = await placeOf(roots, path);
      if (place === undefined || !(await isTrusted(await readProject(place.root)))) return "";
      const { real, file } = place;
      const added: string[] = [];
      for (let folder = dirname(file); folder !== real && isInside(real, folder); folder = dirname(folder)) {
        const found = await instructionsOf(real, folder);
        if (found === undefined || "refused" in found || found.file === file) continue;
        const shown = relative(real, found.file);
        if (given.has(shown)) continue;
        given.add(shown);
        added.unshift(`${NESTED_INSTRUCTIONS}${shown}]\n${found.text}`);
      }
      return added.join("\n\n");
    },
    async gitState({ kind }) {
      if (kind !== "owner" || roots[0] === undefined) return undefined;
      const folder = resolve(roots[0]);
      const state = await gitStateOf(folder);
      const { hash } = await readProject(folder);
      // A folder that says nothing was never asked about.
      const isKnown = trustAll || (hash !== undefined && (await isTrusted({ folder, hash })));
      const changes =
        state !== undefined && isKnown && readByCommand
          ? await gitChangesOf(folder, readByCommand)
          : undefined;
      return changes === undefined ? state : `${state}, ${changes}`;
    },
  };
}

const NOTHING: Pick<Project, "instructions" | "skills" | "warnings"> = {
  instructions: [],
  skills: [],
  warnings: [],
};

/** The person's own instructions and skills. */
async function readOwn(dataDir: string): Promise<typeof NOTHING> {
  const found = await instructionsOf(dataDir, dataDir);
  const { skills, warnings } = await findSkills(dataDir, [join(dataDir, "skills")], "person");
  if (found === undefined) return { instructions: [], skills, warnings };
  if ("refused" in found)
    return { instructions: [], skills, warnings: [`Your own AGENTS.md ${found.refused}.`, ...warnings] };
  return { instructions: [{ path: "your own AGENTS.md", text: found.text }], skills, warnings };
}

/** Finds the root that a path lies in, with links resolved. */
async function placeOf(
  roots: readonly string[],
  path: string,
): Promise<{ root: string; real: string; file: string } | undefined> {
  const [first] = roots;
  if (first === undefined) return undefined;
  const file = await realPath(resolve(first, path));
  for (const root of roots) {
    const real = await realPath(root);
    if (real !== undefined && file !== undefined && isInside(real, file))
      return { root: resolve(root), real, file };
  }
  return undefined;
}

function mayTrust({ kind, role }: Principal): boolean {
  return kind === "owner" || role === "admin";
}

function combinedHash(projects: readonly Project[]): string | undefined {
  const hashes = projects.flatMap(({ hash }) => (hash === undefined ? [] : [hash]));
  return hashes.length === 0 ? undefined : hashOf(JSON.stringify(hashes));
}

function settingOf(folder: string): string {
  return `trusted folder ${folder}`;
}
