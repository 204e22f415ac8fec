import { z } from "zod";
import type { StoredFile } from "./files.ts";
import { REASONING_EFFORTS } from "./model.ts";
import { oneLine } from "./one-line.ts";

/** How long the texts of a project, and a remembered line, may be. */
export const MAX_INSTRUCTIONS = 20_000;
export const MAX_REMEMBERED = 500;

/** How a model is to answer where the request does not say. */
export const modelParameters = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).optional(),
  effort: z.enum(REASONING_EFFORTS).optional(),
  verbosity: z.enum(["low", "medium", "high"]).optional(),
});
export type ModelParameters = z.output<typeof modelParameters>;

const name = z.string().overwrite(oneLine).min(1).max(100);
const instructions = z.string().max(MAX_INSTRUCTIONS);
const values = {
  model: z.string().min(1).max(200).optional(),
  tools: z.array(z.string().min(1).max(200)).max(200).optional(),
  parameters: modelParameters.optional(),
};

/** What is stored of a project. */
export const projectValue = z.object({
  name: z.string(),
  instructions: z.string(),
  /** Who wrote the instructions last. */
  instructionsBy: z.string().optional(),
  about: z.string().optional(),
  memory: z.boolean().optional(),
  model: z.string().optional(),
  tools: z.array(z.string()).optional(),
  parameters: z.object(modelParameters.shape).optional(),
});
export type ProjectValue = z.output<typeof projectValue>;

/** What a person may do in a project: `read` uses it, `write` also changes it and its files, `owner` also shares and deletes it. */
export const projectAccess = z.enum(["owner", "write", "read"]);
export type ProjectAccess = z.output<typeof projectAccess>;

/** A project as one person sees it. */
export interface Project extends ProjectValue {
  id: string;
  userId: string;
  /** One's own instructions, which hold in every session. */
  personal?: true;
  access: ProjectAccess;
  /** This person's sessions in it. */
  sessions: number;
  files: number;
  members: number;
  createdAt: string;
  /** When it, or one of this person's sessions in it, was last changed. */
  updatedAt: string;
}

export interface ProjectMember {
  userId: string;
  access: "read" | "write";
}

/** A file of a project. */
export interface ProjectFile {
  fileId: string;
  name: string;
  mimeType: string;
  size: number;
  createdAt: string;
  /** How many characters can be searched. Missing while the file is read. */
  characters?: number;
  /** Why it, or the rest of it, cannot be searched. */
  problem?: string;
}

/** A piece of a file, and where it is: `page 3`, `line 120`. */
export interface FilePiece {
  place: string;
  text: string;
}

export interface FoundPiece extends FilePiece {
  id: number;
  fileId: string;
  name: string;
}

export interface UnembeddedPiece {
  id: number;
  text: string;
}

/** A line that is remembered about a person, and the session that it comes from. Lines that a person wrote have none. */
export interface Memory {
  id: string;
  text: string;
  createdAt: string;
  updatedAt: string;
  sessionId?: string;
  /** The title of that session. */
  session?: string;
}

/** The rows of projects and of what is remembered. */
export interface ProjectRows {
  /** Returns false if the person has `most` already. A personal project that is there already stays as it is. */
  addProject(
    project: { id: string; userId: string; personal?: true; value: ProjectValue },
    most: number,
  ): Promise<boolean>;
  /** Returns the project as this person sees it, without `access` if it is none of theirs. */
  getProject(
    id: string,
    userId: string,
  ): Promise<(Omit<Project, "access"> & Partial<Pick<Project, "access">>) | undefined>;
  personalProject(userId: string): Promise<Project | undefined>;
  /** Returns the projects that this person has or is a member of, the last used first. */
  listProjects(userId: string): Promise<Project[]>;
  /** Nothing that others change meanwhile is lost: `change` is then called again, with what they wrote. */
  changeProject(id: string, change: (before: ProjectValue) => ProjectValue): Promise<void>;
  /** Deletes it with its files. Its sessions stay. */
  deleteProject(id: string): Promise<void>;
  moveSession(sessionId: string, projectId: string | null): Promise<void>;
  /** Returns the projects that some sessions of a person are in. */
  projectsOfSessions(
    userId: string,
    sessionIds: readonly string[],
  ): Promise<{ sessionId: string; projectId: string; name: string }[]>;
  listMembers(projectId: string): Promise<ProjectMember[]>;
  /** Adds or changes a member; without `access`, removes it, and its sessions leave the project. */
  setMember(projectId: string, userId: string, access?: "read" | "write"): Promise<void>;
  /** Returns false if the project has `most` files already. */
  addProjectFile(projectId: string, fileId: string, most: number): Promise<boolean>;
  listProjectFiles(projectId: string): Promise<ProjectFile[]>;
  /** Adds pieces of its text, in order. */
  addPieces(fileId: string, projectId: string, pieces: readonly FilePiece[]): Promise<void>;
  /** Says that its text is complete, or why there is none. */
  finishProjectFile(fileId: string, characters: number, problem?: string): Promise<void>;
  /** Removes the texts of a project or of one of its files, in pieces. Call it before what they belong to is deleted. */
  removePieces(of: { projectId: string } | { fileId: string }): Promise<void>;
  /** Returns the pieces that fit a query best. */
  searchPieces(projectIds: readonly string[], query: string, limit: number): Promise<FoundPiece[]>;
  /** Returns the pieces whose vectors of this model are nearest to one of length 1, if they are near at all. */
  nearestPieces(projectId: string, model: string, vector: Float32Array, limit: number): Promise<FoundPiece[]>;
  /** Takes a file whose pieces have no vectors of this model yet, until a time in epoch milliseconds. */
  claimUnembedded(
    model: string,
    now: number,
    until: number,
  ): Promise<{ fileId: string; userId: string } | undefined>;
  /** Keeps it until a later time, or gives it back for then. */
  holdUnembedded(fileId: string, until: number): Promise<void>;
  /** Returns pieces of a file without a vector of this model, in order, after the one with an id. */
  unembedded(fileId: string, model: string, after: number, limit: number): Promise<UnembeddedPiece[]>;
  /** Keeps the vectors of pieces, each of length 1. Pieces that are gone are left out. */
  keepVectors(model: string, vectors: readonly { id: number; vector: Float32Array }[]): Promise<void>;
  /** Says that all pieces of a file have vectors of this model. */
  finishEmbedding(fileId: string, model: string): Promise<void>;

  /** Returns false if the person has `most` lines already, or this one. */
  addMemory(
    memory: { id: string; userId: string; sessionId?: string | undefined; text: string },
    most: number,
  ): Promise<boolean>;
  /** Oldest first. */
  listMemories(userId: string): Promise<Memory[]>;
  /** The line is then the person's own, and stays when its session is deleted. Returns false if there is no such one. */
  changeMemory(userId: string, id: string, text: string): Promise<boolean>;
  /** Removes one line or all of them. Returns how many. */
  removeMemories(userId: string, id?: string): Promise<number>;
  /** Removes a line of anybody, which came back with a backup. */
  removeMemoryAgain(id: string): Promise<void>;
}

/** The body of `POST /projects`. */
export const newProjectRequest = z.strictObject({ name, instructions: instructions.default(""), ...values });

/** The changes that a project accepts; null removes a default. `about` is for the personal project. */
export const projectChange = z
  .strictObject({
    name: name.optional(),
    instructions: instructions.optional(),
    about: instructions.optional().meta({ description: "About you. Only in the personal project." }),
    model: values.model.nullable(),
    tools: values.tools.nullable(),
    parameters: values.parameters.nullable(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "say what to change");
export type ProjectChange = z.output<typeof projectChange>;

const access = z.enum(["read", "write"]);
export const newMemberRequest = z
  .strictObject({
    email: z.string().trim().toLowerCase().min(1).max(254).optional(),
    userId: z
      .string()
      .regex(/^\P{Cc}{1,200}$/u, "is not an id")
      .optional(),
    access: access.default("read"),
  })
  .refine(
    ({ email, userId }) => (email === undefined) !== (userId === undefined),
    "say either email or userId",
  );
export const memberRequest = z.strictObject({ access });

const remembered = z.string().overwrite(oneLine).min(1).max(MAX_REMEMBERED);
export const memoryLine = z.strictObject({ text: remembered });

/** Switches memory on or off, changes the line with an id, or adds one of the person's own. */
export const memoryChange = z
  .strictObject({
    enabled: z.boolean().optional(),
    id: z.string().min(1).max(200).optional().meta({ description: "The line to change." }),
    text: remembered.optional().meta({ description: "Its new text. Without `id`, a new line." }),
  })
  .refine(({ enabled, text }) => enabled !== undefined || text !== undefined, "say what to change")
  .refine(({ id, text }) => id === undefined || text !== undefined, {
    message: "goes with text",
    path: ["id"],
  });
export type MemoryChange = z.output<typeof memoryChange>;

/** What is remembered, and whether memory is on. */
export interface MemoryListing {
  enabled: boolean;
  lines: Memory[];
}

/**
 * The projects of one person, and what is remembered about them. `default` is the id of the personal project. Methods throw
 * NOT_FOUND or FORBIDDEN for what this person may not see or do.
 */
export interface Projects {
  list(): Promise<Project[]>;
  get(id: string, needed?: ProjectAccess): Promise<Project>;
  create(request: z.output<typeof newProjectRequest>): Promise<Project>;
  change(id: string, change: ProjectChange): Promise<Project>;
  remove(id: string): Promise<void>;
  members(id: string): Promise<ProjectMember[]>;
  /** Without `access`, the member is removed. Members may remove themselves. */
  setMember(id: string, userId: string, access?: "read" | "write"): Promise<void>;
  files(id: string): Promise<ProjectFile[]>;
  /** Adds an upload of this person, and reads its text. */
  addFile(id: string, file: StoredFile, signal: AbortSignal): Promise<ProjectFile>;
  file(id: string, fileId: string): Promise<StoredFile>;
  removeFile(id: string, fileId: string): Promise<void>;
  memory(): Promise<MemoryListing>;
  changeMemory(change: MemoryChange): Promise<MemoryListing>;
  /** Forgets one line, or all of them. */
  forget(id?: string): Promise<void>;
}
