import { z } from "zod";
import {
  type FoundPiece,
  type Memory,
  type ProjectFile,
  type ProjectMember,
  type ProjectRows,
  projectAccess,
  projectValue,
  type UnembeddedPiece,
} from "../protocol/projects.ts";
import { json, mark, reader, text, time } from "./row-reader.ts";

type SeenProject = NonNullable<Awaited<ReturnType<ProjectRows["getProject"]>>>;

const toProjectRow = reader(
  "Project",
  z.object({
    id: z.string(),
    userId: z.string(),
    personal: mark,
    value: json(projectValue),
    access: projectAccess.optional(),
    sessions: z.number(),
    files: z.number(),
    members: z.number(),
    createdAt: time,
    updatedAt: time,
  }),
);

export function toProject(row: unknown): SeenProject {
  const { value, personal, access, ...project } = toProjectRow(row);
  return { ...value, ...project, ...(personal ? { personal } : {}), ...(access ? { access } : {}) };
}

/** What is stored of a project, and the text that it is stored as. */
export const toProjectValue = reader("Project", z.object({ text: z.string(), value: json(projectValue) }));

const toSessionRow = reader(
  "Project",
  z.object({ sessionId: z.string(), projectId: z.string(), value: json(projectValue) }),
);

export function toSessionProject(row: unknown): { sessionId: string; projectId: string; name: string } {
  const { sessionId, projectId, value } = toSessionRow(row);
  return { sessionId, projectId, name: value.name };
}

export const toMember = reader<ProjectMember>(
  "Member",
  z.object({ userId: z.string(), access: z.enum(["read", "write"]) }),
);

export const toProjectFile = reader<ProjectFile>(
  "File",
  z.object({
    fileId: z.string(),
    name: z.string(),
    mimeType: z.string(),
    size: z.number(),
    createdAt: time,
    characters: z.number().optional(),
    problem: text,
  }),
);

export const toFoundPiece = reader<FoundPiece>(
  "Text of a file",
  z.object({ id: z.number(), fileId: z.string(), name: z.string(), place: z.string(), text: z.string() }),
);

export const toUnembedded = reader<UnembeddedPiece>(
  "Text of a file",
  z.object({ id: z.number(), text: z.string() }),
);

export const toClaimedFile = reader(
  "File without vectors",
  z.object({ fileId: z.string(), userId: z.string() }),
);

export const toFileId = reader("File", z.object({ fileId: z.string() }));

export const toStoredVector = reader(
  "Vector",
  z.object({ id: z.number(), vector: z.instanceof(Uint8Array) }),
);

export const toMemory = reader<Memory>(
  "Memory",
  z.object({
    id: z.string(),
    text: z.string(),
    createdAt: time,
    updatedAt: time,
    sessionId: text,
    session: text,
  }),
);
