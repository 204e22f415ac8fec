import { Failure } from "../protocol/failure.ts";
import type { Files, StoredFile } from "../protocol/files.ts";
import type { Principal } from "../protocol/principal.ts";
import type {
  Project,
  ProjectAccess,
  ProjectChange,
  ProjectFile,
  Projects,
  ProjectValue,
} from "../protocol/projects.ts";
import type { Store } from "../protocol/store.ts";
import { MOST_CHARACTERS, piecesOf, type TextOfFile } from "./file-pieces.ts";
import { newId } from "./ids.ts";
import { rememberLine } from "./memory.ts";
import { accessible } from "./ownership.ts";
import { isMemoryOn } from "./session-instructions.ts";

export interface ProjectParts {
  store: Store;
  files: Files;
  /** Returns the text of a file. Undefined if it has none. Throws `Failure`. */
  textOf: TextOfFile;
  /** A file was read and can be searched. */
  onText?(): void;
}

/** How many projects a person may have, and files a project. */
const MOST = { guest: { projects: 3, files: 5 }, others: { projects: 500, files: 100 } };
const RANK: Record<ProjectAccess, number> = { read: 0, write: 1, owner: 2 };
const PERSONAL = "default";
const PIECES_AT_ONCE = 20;
const PARTLY = `Only its first ${MOST_CHARACTERS.toLocaleString("en")} characters can be searched.`;

/** The projects of one person, and what is remembered about them. */
export function createProjects(
  { store, files, textOf, onText }: ProjectParts,
  principal: Principal,
): Projects {
  const { id: userId } = principal;
  const most = principal.kind === "guest" ? MOST.guest : MOST.others;

  async function get(id: string, needed: ProjectAccess = "read"): Promise<Project> {
    if (id === PERSONAL) return personal();
    const project = await accessible(store, userId, id);
    if (RANK[project.access] < RANK[needed])
      throw new Failure(
        "FORBIDDEN",
        needed === "owner" ? "Only its owner may do this." : "You may read this project, but not change it.",
      );
    return project;
  }

  async function personal(): Promise<Project> {
    const known = await store.personalProject(userId);
    if (known) return known;
    const now = new Date(await store.now()).toISOString();
    const nothing = { name: "", instructions: "", sessions: 0, files: 0, members: 0 };
    return {
      id: PERSONAL,
      userId,
      personal: true,
      access: "owner",
      ...nothing,
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Writes the values of a project, and creates the personal one where there is none yet. */
  async function write(project: Project, change: (before: ProjectValue) => ProjectValue): Promise<Project> {
    if (project.id !== PERSONAL) {
      await store.changeProject(project.id, change);
      return get(project.id);
    }
    await store.addProject({ id: newId("prj"), userId, personal: true, value: storedOf(project) }, 1);
    const added = await personal();
    await store.changeProject(added.id, change);
    return personal();
  }

  /** Returns the project for what goes with one piece of work: the personal one has no files and members. */
  async function shared(id: string, needed: ProjectAccess): Promise<Project> {
    const project = await get(id, needed);
    if (!project.personal) return project;
    throw onlyInstructions();
  }

  async function fileOf(id: string, fileId: string, needed: ProjectAccess): Promise<StoredFile> {
    const project = await shared(id, needed);
    const known = (await store.listProjectFiles(project.id)).some((file) => file.fileId === fileId);
    const file = known ? await files.get(fileId) : undefined;
    if (file) return file;
    throw new Failure("NOT_FOUND", "There is no such file in this project.");
  }

  /** Tells everybody who has the project, and who had it before, that it is not as it was. */
  async function tell({ id, userId: owner }: Project, before: readonly string[] = []): Promise<void> {
    const members = await store.listMembers(id);
    for (const person of new Set([owner, ...before, ...members.map((member) => member.userId)]))
      await store.tellAccount(person, { type: "project_changed", projectId: id });
  }

  const tellMemory = () => store.tellAccount(userId, { type: "memory_changed" });

  async function memory() {
    const [project, lines] = await Promise.all([store.personalProject(userId), store.listMemories(userId)]);
    return { enabled: isMemoryOn(principal, project), lines };
  }

  return {
    list: () => store.listProjects(userId),
    get,
    async create({ instructions, ...values }) {
      const id = newId("prj");
      const value = { ...present(values), instructions, instructionsBy: userId };
      if (await store.addProject({ id, userId, value }, most.projects)) return get(id);
      throw new Failure("STORAGE_FULL", `You can have ${most.projects} projects. Delete one first.`);
    },
    async change(id, change) {
      const project = await get(id, "write");
      if (change.about !== undefined && !project.personal)
        throw new Failure("INVALID_INPUT", "about: goes with the personal project alone.");
      const { about: _, instructions: __, ...rest } = change;
      if (project.personal && Object.keys(present(rest)).length > 0) throw onlyInstructions();
      const after = await write(project, (before) => changed(before, change, userId));
      if (!after.personal) await tell(after);
      return after;
    },
    async remove(id) {
      const project = await shared(id, "owner");
      const members = await store.listMembers(project.id);
      await store.removePieces({ projectId: project.id });
      await store.deleteProject(project.id);
      await tell(
        project,
        members.map((member) => member.userId),
      );
      void files.tidy();
    },
    members: async (id) => store.listMembers((await shared(id, "owner")).id),
    async setMember(id, member, access) {
      const isLeaving = member === userId && access === undefined;
      const project = await shared(id, isLeaving ? "read" : "owner");
      if (project.userId === member) throw new Failure("INVALID_INPUT", "The owner cannot be a member.");
      await store.setMember(project.id, member, access);
      await tell(project, [member]);
    },
    files: async (id) => store.listProjectFiles((await shared(id, "read")).id),
    async addFile(id, file, signal): Promise<ProjectFile> {
      try {
        const project = await shared(id, "write");
        if (!(await store.addProjectFile(project.id, file.id, most.files)))
          throw new Failure("STORAGE_FULL", `A project can have ${most.files} files. Remove one first.`);
        const read = await readInto(project.id, file, signal);
        await store.finishProjectFile(file.id, read.characters, read.problem);
        if (read.characters > 0) onText?.();
        await tell(project);
        const { id: fileId, name, mimeType, size, createdAt } = file;
        return { fileId, name, mimeType, size, createdAt, ...read };
      } catch (thrown) {
        // It would never be found: the project may be gone, or the person may no longer change it.
        await files.remove(file.id);
        throw thrown;
      }
    },
    file: (id, fileId) => fileOf(id, fileId, "read"),
    async removeFile(id, fileId) {
      const file = await fileOf(id, fileId, "write");
      await store.removePieces({ fileId: file.id });
      await files.remove(file.id);
      await tell(await get(id));
    },
    memory,
    async changeMemory({ enabled, id, text }) {
      if (enabled !== undefined) {
        const project = await personal();
        await write(project, (before) => ({ ...before, memory: enabled }));
      }
      if (text !== undefined && id === undefined) await rememberLine(store, principal, text);
      if (text !== undefined && id !== undefined && !(await store.changeMemory(userId, id, text)))
        throw noSuchLine();
      if (enabled !== undefined || id !== undefined) await tellMemory();
      return memory();
    },
    async forget(id) {
      if ((await store.removeMemories(userId, id)) === 0 && id !== undefined) throw noSuchLine();
      await tellMemory();
    },
  };

  /** Reads the text of a file and writes it in pieces. Returns what to say about it. */
  async function readInto(
    projectId: string,
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<{ characters: number; problem?: string }> {
    let text: string | undefined;
    try {
      text = await textOf(file, signal);
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return { characters: 0, problem: "This file could not be read, so it cannot be searched." };
    }
    if (!text?.trim()) return { characters: 0, problem: "This file has no text that can be searched." };
    let characters = 0;
    const pieces = piecesOf(text, hasHeadings(file.mimeType));
    for (let at = 0; at < pieces.length; at += PIECES_AT_ONCE) {
      const some = pieces.slice(at, at + PIECES_AT_ONCE);
      await store.addPieces(file.id, projectId, some);
      characters += some.reduce((sum, piece) => sum + piece.text.length, 0);
      await new Promise(setImmediate);
    }
    if (text.length > MOST_CHARACTERS) return { characters, problem: PARTLY };
    return { characters };
  }
}

/** Word and OpenDocument texts have no pages until somebody prints them. */
function hasHeadings(mimeType: string): boolean {
  return /wordprocessing|opendocument/.test(mimeType);
}

function storedOf(project: Project): ProjectValue {
  const { name, instructions, instructionsBy, about, memory, model, tools, parameters } = project;
  return present({ name, instructions, instructionsBy, about, memory, model, tools, parameters });
}

function changed(before: ProjectValue, change: ProjectChange, by: string): ProjectValue {
  const { model, tools, parameters, ...texts } = change;
  return present({
    ...before,
    ...present(texts),
    ...(texts.instructions === undefined ? {} : { instructionsBy: by }),
    model: model === undefined ? before.model : (model ?? undefined),
    tools: tools === undefined ? before.tools : (tools ?? undefined),
    parameters: parameters === undefined ? before.parameters : (parameters ?? undefined),
  });
}

/** Returns the fields that have a value. */
function present<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Key in keyof Value]: Exclude<Value[Key], undefined>;
  };
}

function onlyInstructions(): Failure {
  return new Failure("INVALID_INPUT", "The personal project holds instructions only.");
}

function noSuchLine(): Failure {
  return new Failure("NOT_FOUND", "Nothing with this id is remembered.");
}
