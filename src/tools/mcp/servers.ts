import { createHash } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Backoff } from "../../protocol/backoff.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { ServerLife, ServerState } from "./life.ts";
import { type ListedTool, shown } from "./listing.ts";
import { ServerAuthorization } from "./oauth.ts";
import { openPins, type PinStore } from "./pins.ts";
import { readMcpSettings, type ServerSettings } from "./settings.ts";
import { serverTool } from "./tool.ts";

/** Where browsers come back to once a person has let us in at a server. */
export const CALLBACK_PATH = "/mcp/oauth/callback";
const LOOK_MS = 1_000;
/** How long to wait before a server that ended is started again. */
const RESTART_BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000 };
/** A start does not wait longer than this for servers; who is later joins when it is there. */
const READY_WITHIN_MS = 5_000;

export interface McpServersOptions {
  /** The `mcp.json`; it need not exist yet. */
  file: string;
  /** Folder of what servers let us in with. */
  tokenFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  store: PinStore;
  registry: { add(tool: Tool, source: string): void; remove(source: string): void };
  /** `host:port` that may be private. */
  allow: readonly string[];
  version: string;
  /** Is told in one line of whatever does not work. */
  onProblem(line: string): void;
  backoff?: Backoff;
  readyWithinMs?: number;
}

export interface ServerStatus {
  name: string;
  state: ServerState;
  /** Why it is not ready, or what it says of itself. */
  detail: string;
  tools: number;
  /** Tools that a person has to approve before they run. */
  doubted: string[];
}

/** The servers of the `mcp.json`, running. */
export interface McpServers {
  status(): ServerStatus[];
  /** What is wrong with the file. */
  problems(): readonly string[];
  /** Tells where our own door is, so that browsers can come back to it. */
  listensAt(url: string): void;
  /** Goes on with an authorization; answers the server's name. Throws INVALID_INPUT where none is under way. */
  finishAuthorization(callback: URLSearchParams): Promise<string>;
  /** Reads the file again and does what changed. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  settings: ServerSettings;
  life: ServerLife;
  authorization?: ServerAuthorization;
  status(): ServerStatus;
}

/** Starts the servers and adds their tools to the registry, now and whenever the file or a server changes. */
export async function startMcpServers(options: McpServersOptions): Promise<McpServers> {
  const entries = new Map<string, Entry>();
  const readyWithinMs = options.readyWithinMs ?? READY_WITHIN_MS;
  let problems: readonly string[] = [];
  let door: string | undefined;
  let closed = false;
  let work = Promise.resolve();

  async function apply(): Promise<void> {
    if (closed) return;
    const read = readMcpSettings(await fileText(options.file), {
      env: options.env,
      folder: dirname(options.file),
    });
    for (const problem of read.problems) if (!problems.includes(problem)) options.onProblem(problem);
    problems = read.problems;
    const wanted = new Map(read.servers.map((settings) => [settings.name, settings]));
    for (const [name, { settings, life }] of [...entries]) {
      const next = wanted.get(name);
      if (next && JSON.stringify(next) === JSON.stringify(settings)) wanted.delete(name);
      else {
        entries.delete(name);
        options.registry.remove(name);
        await life.stop();
      }
    }
    const starts: Promise<void>[] = [];
    for (const settings of wanted.values()) {
      const entry = await openServer(settings, options, () => door && `${door}${CALLBACK_PATH}`);
      entries.set(settings.name, entry);
      starts.push(entry.life.start());
    }
    await withinTime(Promise.all(starts), readyWithinMs);
  }

  function reload(): Promise<void> {
    work = work.then(apply).catch((error: unknown) => {
      options.onProblem(
        `The MCP servers could not be set up: ${error instanceof Error ? error.message : error}.`,
      );
    });
    return work;
  }

  const look = () => void reload();
  watchFile(options.file, { interval: LOOK_MS, persistent: false }, look);
  await reload();

  return {
    status: () => [...entries.values()].map((entry) => entry.status()),
    problems: () => problems,
    listensAt(url) {
      // An address that stands for all of this machine's is none that a browser can come back to.
      door = url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1");
      for (const { life } of entries.values()) if (life.state === "unauthorized") void life.start();
    },
    async finishAuthorization(callback) {
      const state = callback.get("state") ?? "";
      const entry = [...entries.values()].find(({ authorization }) => authorization?.expects(state));
      if (!entry)
        throw new Failure("INVALID_INPUT", "No authorization of this kind is under way. Start it again.");
      await entry.life.finishAuthorization(callback).catch((cause: unknown) => {
        throw new Failure("UPSTREAM_ERROR", "The server did not accept the authorization. Start it again.", {
          cause,
          retryable: false,
        });
      });
      return entry.settings.name;
    },
    reload,
    async close() {
      closed = true;
      unwatchFile(options.file, look);
      await work;
      await Promise.all([...entries.values()].map(({ life }) => life.stop()));
    },
  };
}

/** A server with its tools, not started yet. */
async function openServer(
  settings: ServerSettings,
  { store, registry, allow, version, onProblem, tokenFolder, backoff }: McpServersOptions,
  callbackUrl: () => string | undefined,
): Promise<Entry> {
  const { name } = settings;
  const pins = await openPins(store, name);
  let listed: ListedTool[] = [];
  let doubted: string[] = [];

  function register(): void {
    registry.remove(name);
    doubted = listed.filter((tool) => pins.doubt(tool) !== undefined).map((tool) => shown(tool.name));
    for (const tool of listed) {
      try {
        const current = () => listed.find((one) => one.name === tool.name);
        const call: Parameters<typeof serverTool>[0]["call"] = (...rest) => life.call(...rest);
        registry.add(
          serverTool({ server: settings, listed: tool, pins, current, call, approved: register }),
          name,
        );
      } catch (error) {
        const why = error instanceof Error ? error.message : "it cannot be read";
        onProblem(`The MCP server "${name}": its tool "${shown(tool.name)}" is not offered: ${why}`);
      }
    }
  }

  const authorization = authorizationOf(settings, tokenFolder, callbackUrl);
  // Loaded with the first server: most of the time that MCP costs at a start is for reading its library.
  const { ServerLife: Life } = await import("./life.ts");
  const life: ServerLife = new Life({
    settings,
    version,
    allow,
    backoff: backoff ?? RESTART_BACKOFF,
    ...(authorization ? { authorization } : {}),
    async onTools(tools) {
      await pins.letIn(tools);
      const before = new Map(listed.map((tool) => [tool.name, tool.hash]));
      const same =
        tools.length === listed.length && tools.every((tool) => before.get(tool.name) === tool.hash);
      listed = tools;
      if (same) return;
      register();
      if (doubted.length > 0)
        onProblem(
          `The MCP server "${name}" changed tools since they were approved: ${doubted.join(", ")}. Each is asked about before it runs.`,
        );
    },
    report: onProblem,
  });
  return {
    settings,
    life,
    ...(authorization ? { authorization } : {}),
    status: () => ({ name, state: life.state, detail: life.detail, tools: listed.length, doubted }),
  };
}

/** Tokens are kept by name and address: an entry that now points elsewhere does not take them along. */
function authorizationOf(
  settings: ServerSettings,
  folder: string,
  callbackUrl: () => string | undefined,
): ServerAuthorization | undefined {
  if (settings.kind !== "remote") return undefined;
  const bringsOwn = Object.keys(settings.headers).some((header) => header.toLowerCase() === "authorization");
  if (bringsOwn) return undefined;
  const address = createHash("sha256").update(settings.url).digest("hex").slice(0, 16);
  return new ServerAuthorization(join(folder, `${settings.name}-${address}.json`), callbackUrl);
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "{}";
    throw error;
  }
}

async function withinTime(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
