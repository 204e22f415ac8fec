import { z } from "zod";
import type { Principal } from "./principal.ts";
import type { Tool } from "./tool.ts";

/** The name of the tool that loads a skill. Its results are never pruned. */
export const SKILL_TOOL = "skill";

/** Begins the instructions of a folder below, in the result of a read. */
export const NESTED_INSTRUCTIONS = "[The project's instructions for this folder, from ";

const skill = z.looseObject({
  name: z.string(),
  description: z.string(),
  /** `project`: of a folder that the person works in. `person`: of the data directory. */
  source: z.enum(["project", "person"]),
  /** Where its files are on this machine. */
  folder: z.string(),
  /** The hash of its SKILL.md. */
  hash: z.string(),
});
export type Skill = z.infer<typeof skill>;

/** What a session's model is told about where it works. It is fixed when the session starts and stored with its first run. */
export const workspaceText = z.looseObject({
  /** The folder and the system, for the person whose machine this is. */
  place: z.string().optional(),
  /** Farthest first: what comes later takes precedence. */
  instructions: z.array(z.looseObject({ path: z.string(), text: z.string() })),
  skills: z.array(skill),
  /** The projects whose text this holds, each with the hash of its files. */
  projects: z.array(z.looseObject({ folder: z.string(), hash: z.string() })),
  /** A project has text that was left out, because the project is not trusted. */
  untrusted: z.boolean().optional(),
  warnings: z.array(z.string()),
});
export type WorkspaceText = z.infer<typeof workspaceText>;

const source = z.enum(["project", "person"]);

/** The instructions and skills that a person's folders have, as far as this person may see them. */
export const workspaceListing = z.object({
  folders: z.array(z.string()).meta({ description: "The folders that file tools may use." }),
  instructions: z.array(z.object({ path: z.string(), source, text: z.string() })),
  skills: z.array(z.object({ name: z.string(), description: z.string(), source, path: z.string() })),
  hash: z
    .string()
    .optional()
    .meta({ description: "Identifies the text of all projects. Missing if they have none." }),
  trusted: z
    .boolean()
    .meta({ description: "False if a project that is not trusted has text. That text is not used." }),
  declined: z.literal(true).optional().meta({
    description: "Somebody has decided not to trust it as it is, so there is no need to ask again.",
  }),
  warnings: z.array(z.string()),
});
export type WorkspaceListing = z.infer<typeof workspaceListing>;

/** The projects as they were shown. */
export const trustRequest = z.strictObject({
  hash: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: "The `hash` of the listing that the person has read." }),
  trusted: z.boolean().default(true).meta({ description: "`false` declines, until the text changes." }),
});

/** The instructions and skills of folders, and whether the person trusts them. */
export interface Workspace {
  /** Returns what a new session of this person is told. Undefined if there is nothing to tell. */
  read(principal: Principal): Promise<WorkspaceText | undefined>;
  /** True if the text may still be used as it is: what it holds of projects is still trusted, and nothing new is. */
  holds(text: WorkspaceText): Promise<boolean>;
  /** Returns what there is. Empty for guests. */
  list(principal: Principal): Promise<WorkspaceListing>;
  /**
   * Trusts the projects as they are, or declines to, if that is still what the hash stands for; without a hash, forgets the
   * decision. Throws FORBIDDEN, CONFLICT.
   */
  trust(principal: Principal, hash: string | undefined, trusted?: boolean): Promise<WorkspaceListing>;
  /** Returns the tool that loads these skills. */
  skillTool(skills: readonly Skill[]): Tool;
  /** Returns the instructions of a skill. Throws if it is gone, or has changed since the person trusted it. */
  skillText(skill: Skill): Promise<string>;
  /** Returns the instructions between a root and a path that is read, without those that were given before. */
  nestedInstructions(path: string, given: Set<string>): Promise<string>;
  /** Describes the state of the git repository around the folders, in a few words. */
  gitState(principal: Principal): Promise<string | undefined>;
}
