import { readdir } from "node:fs/promises";
import { basename, extname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { missingPackage } from "../protocol/optional-package.ts";
import { checkTool } from "../protocol/plain-tool.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Tool, ToolSettings } from "../protocol/tool.ts";
import { importTool, toolFiles, USER_TOOLS } from "./tool-files.ts";
import { watchedFolder } from "./watched-folder.ts";

export interface RegistryOptions {
  builtInDir?: string;
  /** The names of the built-in tools that are offered. Undefined for all. */
  only?: readonly string[] | undefined;
  /** Folder of user tools, which may not exist yet. They run in this process, with all its rights. */
  userDir: string | undefined;
  settings: ToolSettings;
  /** Names of tools, or of their sources, that guests may use besides the harmless ones. */
  guestTools?: readonly string[];
  /** Called with one line for each tool that cannot be loaded. */
  onProblem(line: string): void;
}

/** A file of the user's folder. */
export interface UserFile {
  /** The name of the file, without its ending. */
  name: string;
  /** What its tool is called, if it could ever be loaded. */
  tool?: string;
  /** Why it is not in use. */
  problem?: string;
}

/** The registry, with what administrators see and change of the user's folder. */
export interface ToolRegistry extends Registry {
  userFiles(): UserFile[];
  /** Reads again what could not be used. */
  rereadUserFiles(): Promise<void>;
  /** Takes the tools of exactly these files out. */
  pauseUserFiles(names: ReadonlySet<string>): void;
}

/** Sources of tools that people wrote themselves. */
const OWN = new Set(["user", "program"]);

interface Entry {
  tool: Tool;
  /** `built-in`, `user`, or the name that was given to `add`. */
  source: string;
  /** The file name, for people. */
  origin: string;
  /** False where the settings do not allow it to work. Its name is still taken. */
  offered: boolean;
}

/** Loads the built-in tools and the user's, and watches the latter. Throws for an invalid built-in tool. */
export async function createRegistry(options: RegistryOptions): Promise<ToolRegistry> {
  const { settings, onProblem } = options;
  const builtIns = await readBuiltIns(
    options.builtInDir ?? fileURLToPath(new URL("./builtin/", import.meta.url)),
    onProblem,
  );
  const fixed = chosen(builtIns, options.only).map(({ tool, origin }) => toEntry(tool, "built-in", origin));
  const added: Entry[] = [];
  let user: Entry[] = [];
  let byName = new Map<string, Entry>();
  let refused = new Map<string, string>();
  let paused: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();

  function rebuild() {
    const problems = new Map<string, string>();
    byName = new Map();
    for (const entry of [...fixed, ...added, ...user.filter(({ origin }) => !paused.has(nameOf(origin)))]) {
      const problem = enter(byName, entry);
      if (problem === undefined) continue;
      problems.set(problem, entry.origin);
      if (!refused.has(problem)) onProblem(problem);
    }
    refused = problems;
    for (const listener of listeners) listener();
  }

  function toEntry(given: Tool, source: string, origin: string): Entry {
    const tool = OWN.has(source) ? { ...given, source: `the tool ${given.name}`, adds: true } : given;
    try {
      return { tool, source, origin, offered: tool.available(settings) };
    } catch (error) {
      onProblem(
        `The tool "${tool.name}" of ${origin} is not offered: it cannot tell whether it is available (${error}).`,
      );
      return { tool, source, origin, offered: false };
    }
  }

  const watcher = await watchedFolder(options.userDir, USER_TOOLS, onProblem, (tools) => {
    user = tools.map(({ made, file }) => toEntry(made, "user", basename(file)));
    rebuild();
  });

  /** Everything, or what may be seen of it. */
  function view(mayUse: (entry: Entry) => boolean): Registry {
    let listedFrom: typeof byName | undefined;
    let listed: readonly Entry[] = [];
    const entries = () => {
      if (listedFrom !== byName)
        listed = [...new Set(byName.values())]
          .filter((entry) => entry.offered && mayUse(entry))
          .sort((left, right) => (left.tool.name < right.tool.name ? -1 : 1));
      listedFrom = byName;
      return listed;
    };
    const get = (name: string) => {
      const entry = byName.get(name);
      return entry?.offered && mayUse(entry) ? entry.tool : undefined;
    };
    return {
      get,
      list: () => entries().map((entry) => entry.tool),
      expand(names) {
        const tools = names.map((name) => {
          const tool = get(name);
          if (tool) return tool;
          const known = entries().map((entry) => entry.tool.name);
          throw new Failure(
            "INVALID_INPUT",
            `There is no tool "${name.slice(0, 100)}". The tools are: ${known.join(", ") || "none"}.`,
            { details: { field: "tools" } },
          );
        });
        return [...new Set(tools)];
      },
      listings: () => entries().map(toListing),
      for: ({ kind }) => (kind === "guest" ? forGuests : whole),
      add,
      remove,
      onChange(callback) {
        listeners.add(callback);
        return () => listeners.delete(callback);
      },
      close: () => watcher.close(),
    };
  }

  function add(tool: Tool, source: string): void {
    try {
      checkTool(tool);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new Failure("INVALID_INPUT", `The tool "${tool.name}" is not valid. ${problem}.`, { cause });
    }
    const entry = toEntry(tool, source, source);
    const problem = enter(new Map(byName), entry);
    if (problem !== undefined) throw new Failure("CONFLICT", problem);
    added.push(entry);
    rebuild();
  }

  function remove(source: string): void {
    const kept = added.filter((entry) => entry.source !== source);
    if (kept.length === added.length) return;
    added.splice(0, added.length, ...kept);
    rebuild();
  }

  const whole = view(() => true);
  const forGuests = view(({ tool, source }) => {
    const named = [tool.name, ...tool.aliases, source].some((name) => options.guestTools?.includes(name));
    return named || isHarmless(tool, source);
  });
  return {
    ...whole,
    userFiles: () =>
      watcher.files().map(({ file, made, problem }) => {
        const origin = basename(file);
        const why = problem ?? [...refused].find(([, of]) => of === origin)?.[0];
        return { name: nameOf(origin), tool: made?.name, ...(why && { problem: why }) };
      }),
    rereadUserFiles: () => watcher.rescan(),
    pauseUserFiles(names) {
      paused = names;
      rebuild();
    },
  };
}

function nameOf(file: string): string {
  return file.slice(0, -extname(file).length || undefined);
}

/** Tools of the machine on which the server runs. */
const LOCAL = new Set(["filesystem", "execute_command", "command_output", "stop_command"]);

/**
 * Returns true if strangers may use the tool. What acts on this machine, or with the owner's rights at a configured server, is
 * not for them. A program that hands us tools has decided that itself.
 */
function isHarmless(tool: Tool, source: string): boolean {
  if (source === "built-in") return !LOCAL.has(tool.name);
  if (source === "user") return tool.effect === "none" || tool.effect === "read";
  return source === "program";
}

/** Adds a tool under all its names. Returns a problem instead where a name is taken. */
function enter(byName: Map<string, Entry>, entry: Entry): string | undefined {
  const names = [entry.tool.name, ...entry.tool.aliases];
  for (const name of names) {
    const holder = byName.get(name);
    if (holder === undefined) continue;
    const from = entry.source === "program" ? "your program" : describe(entry);
    return `The tool "${name}" of ${from} is not loaded: ${describe(holder)} already has that name. Rename one of them.`;
  }
  for (const name of names) byName.set(name, entry);
  return undefined;
}

function describe({ source, origin }: Entry): string {
  if (origin !== source) return `${source} tool file ${origin}`;
  if (source === "program") return "another tool of your program";
  return source === "built-in" ? "a built-in tool" : source;
}

function toListing({ tool, source }: Entry): ToolListing {
  return {
    name: tool.name,
    description: tool.description,
    effect: tool.effect,
    parameters: tool.parameters,
    source,
    streaming: tool.streaming,
    ...(tool.commands && { commands: [...tool.commands] }),
  };
}

/** Returns the built-in tools with these names. Throws INVALID_INPUT that names an unknown one. */
function chosen<Found extends { tool: Tool }>(
  builtIns: Found[],
  only: readonly string[] | undefined,
): Found[] {
  if (only === undefined) return builtIns;
  const names = builtIns.map(({ tool }) => tool.name);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown === undefined) return builtIns.filter(({ tool }) => only.includes(tool.name));
  throw new Failure(
    "INVALID_INPUT",
    `tools.builtin: there is no built-in tool "${unknown.slice(0, 100)}". There are: ${names.sort().join(", ")}.`,
  );
}

async function readBuiltIns(
  directory: string,
  onProblem: (line: string) => void,
): Promise<{ tool: Tool; origin: string }[]> {
  const found: { tool: Tool; origin: string }[] = [];
  const byName = new Map<string, Entry>();
  for (const { file, name } of toolFiles(directory, await readdir(directory, { withFileTypes: true }))) {
    const origin = relative(directory, file);
    const tool = await importTool(file).catch((error: unknown) => {
      const missing = missingPackage(error);
      if (missing === undefined) throw new Error(`${origin} is not a tool`, { cause: error });
      onProblem(`The tool "${name}" is not offered: the optional package ${missing} is not installed.`);
    });
    if (!tool) continue;
    if (tool.name !== name) throw new Error(`${origin}: its tool calls itself "${tool.name}", not "${name}"`);
    const problem = enter(byName, { tool, source: "built-in", origin, offered: true });
    if (problem !== undefined) throw new Error(problem);
    found.push({ tool, origin });
  }
  return found;
}
