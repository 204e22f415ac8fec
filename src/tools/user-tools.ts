import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceDetail } from "../protocol/added-tools.ts";
import { Failure } from "../protocol/failure.ts";
import type { Tool } from "../protocol/tool.ts";
import type { ToolRegistry } from "./registry.ts";
import { USER_TOOLS } from "./tool-files.ts";
import { messageOf } from "./watched-folder.ts";

const SOURCE = "user";

/** People's own tools: the files of their folder, and what administrators added. */
export interface UserTools {
  details(): SourceDetail[];
  /** What the tool of a source is called. */
  toolOf(source: string): string | undefined;
  /** Loads code without offering it. Throws INVALID_INPUT that says what is wrong with it. */
  check(name: string, code: string): Promise<void>;
  /** Offers the tools that administrators added, by their name, and takes paused files out. */
  set(added: Readonly<Record<string, string>>, paused: ReadonlySet<string>): Promise<void>;
  /** Reads again what could not be used. */
  reload(): Promise<void>;
}

interface Loaded {
  code: string;
  tool?: Tool;
  problem?: string;
}

/**
 * Manages people's own tools. Code that was added is written to `folder`, because only files can be imported. Like the files of
 * the user's folder, it runs in this process with all its rights.
 */
export function createUserTools(registry: ToolRegistry, folder: string): UserTools {
  let added = new Map<string, Loaded>();
  let paused: ReadonlySet<string> = new Set();

  async function load(name: string, code: string): Promise<Tool> {
    const hash = createHash("sha256").update(code).digest("hex").slice(0, 16);
    const file = join(folder, `${name}-${hash}.mts`);
    const part = `${file}.${process.pid}.part`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(part, code, { mode: 0o600 });
    await rename(part, file);
    const tool = await USER_TOOLS.load(file, `${process.pid}-${Date.now()}`);
    if (tool.name === name) return tool;
    throw new Error(`the tool calls itself "${tool.name}", not "${name}"`);
  }

  async function loaded(name: string, code: string, again: boolean): Promise<Loaded> {
    const known = added.get(name);
    if (known?.code === code && (known.problem === undefined || !again)) return known;
    try {
      return { code, tool: await load(name, code) };
    } catch (error) {
      return { code, problem: messageOf(error) };
    }
  }

  /** Replaces what is offered at once, so that no tool is ever missing in between. */
  function offer(next: Map<string, Loaded>): void {
    registry.remove(SOURCE);
    for (const entry of next.values()) {
      if (!entry.tool) continue;
      try {
        registry.add(entry.tool, SOURCE);
        delete entry.problem;
      } catch (error) {
        entry.problem = messageOf(error);
      }
    }
    added = next;
  }

  async function apply(code: Readonly<Record<string, string>>, again: boolean): Promise<void> {
    const next = new Map<string, Loaded>();
    for (const [name, text] of Object.entries(code)) next.set(name, await loaded(name, text, again));
    offer(next);
    await removeOthers(folder, [...next.keys()]);
  }

  return {
    details: () => [
      ...registry.userFiles().map(({ name, tool, problem }) => {
        const isOffered = tool !== undefined && problem === undefined && registry.get(tool) !== undefined;
        const why = problem ?? (isOffered || paused.has(name) ? undefined : NOT_AVAILABLE);
        return {
          name,
          from: "file" as const,
          state: isOffered ? ("ready" as const) : ("unavailable" as const),
          ...(why && { problem: why }),
          secrets: [],
        };
      }),
      ...[...added].map(([name, { problem }]) => ({
        name,
        from: "added" as const,
        state: problem === undefined ? ("ready" as const) : ("unavailable" as const),
        ...(problem && { problem }),
        secrets: [],
      })),
    ],
    toolOf: (source) =>
      added.has(source) ? source : registry.userFiles().find(({ name }) => name === source)?.tool,
    async check(name, code) {
      try {
        await load(name, code);
      } catch (error) {
        throw new Failure("INVALID_INPUT", `This is not a tool yet: ${messageOf(error)}.`, {
          details: { field: "code" },
        });
      }
    },
    async set(code, names) {
      paused = names;
      registry.pauseUserFiles(names);
      await apply(code, false);
    },
    async reload() {
      await registry.rereadUserFiles();
      await apply(Object.fromEntries([...added].map(([name, { code }]) => [name, code])), true);
    },
  };
}

const NOT_AVAILABLE = "It says that it does not work with the settings of this server";

/** Removes the files of tools that are gone. */
async function removeOthers(folder: string, names: readonly string[]): Promise<void> {
  const files = await readdir(folder).catch(() => []);
  const isKept = (file: string) => names.some((name) => file.startsWith(`${name}-`));
  await Promise.all(
    files.filter((file) => !isKept(file)).map((file) => rm(join(folder, file), { force: true })),
  );
}
