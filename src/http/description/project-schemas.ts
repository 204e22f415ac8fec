import { z } from "zod";
import {
  memberRequest,
  memoryChange,
  memoryLine,
  modelParameters,
  newMemberRequest,
  newProjectRequest,
  projectAccess,
  projectChange,
} from "../../protocol/projects.ts";

const time = z.iso.datetime();
const project = z.object({
  id: z.string(),
  userId: z.string().meta({ description: "Its owner." }),
  personal: z.literal(true).optional(),
  name: z.string(),
  instructions: z.string(),
  about: z.string().optional(),
  model: z.string().optional(),
  tools: z.array(z.string()).optional(),
  parameters: modelParameters.optional(),
  access: projectAccess.meta({ description: "What you may do in it." }),
  sessions: z.number().meta({ description: "How many of your sessions are in it." }),
  files: z.number(),
  members: z.number(),
  createdAt: time,
  updatedAt: time,
});
const file = z.object({
  fileId: z.string(),
  name: z.string(),
  mimeType: z.string(),
  size: z.number(),
  createdAt: time,
  characters: z.number().optional().meta({ description: "How many characters can be searched." }),
  problem: z.string().optional().meta({ description: "Why it, or the rest of it, cannot be searched." }),
});
const member = z.object({
  userId: z.string(),
  access: z.enum(["read", "write"]),
  email: z.string().optional(),
  name: z.string().optional(),
});
const line = z.object({
  id: z.string(),
  text: z.string(),
  createdAt: time,
  updatedAt: time,
  sessionId: z.string().optional().meta({ description: "The session that it comes from." }),
  session: z.string().optional().meta({ description: "The title of that session." }),
});

/** The bodies and answers of projects and memory. */
export const PROJECT_SCHEMAS = {
  NewProject: newProjectRequest,
  ProjectChange: projectChange,
  Project: project,
  Projects: z.object({ projects: z.array(project) }),
  ProjectFile: file,
  ProjectFiles: z.object({ files: z.array(file) }),
  NewMember: newMemberRequest,
  MemberChange: memberRequest,
  ProjectMembers: z.object({ members: z.array(member) }),
  Memory: z.object({ enabled: z.boolean(), lines: z.array(line) }),
  MemoryChange: memoryChange,
  MemoryLine: memoryLine,
};
