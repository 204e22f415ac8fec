import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { settlesWithin } from "../../protocol/abortable.ts";
import type { Backoff } from "../../protocol/backoff.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Tool } from "../../protocol/tool.ts";
import { watchSettingsFile } from "../settings-file.ts";
import { type ListedTool, shown } from "./listing.ts";
import { ServerAuthorization } from "./oauth.ts";
import { openPins, type PinStore } from "./pins.ts";
import type { ServerConnection, ServerState } from "./server-connection.ts";
import { readMcpSettings, type ServerSettings } from "./settings.ts";
import { serverTool } from "./tool.ts";

/** The OAuth callback: where browsers return after a person has authorized us at a server. */
export const CALLBACK_PATH = "/mcp/oauth/callback";
/** How long to wait before a server that ended is restarted. */
const RESTART_BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000 };
/** How long a start waits for servers. Slower servers join later. */
const READY_WITHIN_MS = 5_000;

export interface McpServersOptions {
  /** The `mcp.json`; it need not exist yet. */
  file: string;
  /** Folder for OAuth tokens. */
  tokenFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  store: PinStore;
  registry: { add(tool: Tool, source: string): void; remove(source: string): void };
  /** `host:port` that may be private. */
  allow: readonly string[];
  version: string;
  /** Called with one line for each problem. */
  onProblem(line: string): void;
  backoff?: Backoff;
  readyWithinMs?: number;
}

export interface ServerStatus {
  name: string;
  state: ServerState;
  /** Why it is not ready. */
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
  /** Sets the address of our own server, for OAuth callbacks. */
  listensAt(url: string): void;
  /** Finishes an authorization and returns the server's name. Throws INVALID_INPUT where none is under way. */
  finishAuthorization(callback: URLSearchParams): Promise<string>;
  /** Reads the file again and applies the changes. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  settings: ServerSettings;
  connection: ServerConnection;
  authorization?: ServerAuthorization;
  status(): ServerStatus;
}

/** Starts the servers and adds their tools to the registry, now and whenever the file or a server changes. */
export async function startMcpServers(options: McpServersOptions): Promise<McpServers> {
  const entries = new Map<string, Entry>();
  const readyWithinMs = options.readyWithinMs ?? READY_WITHIN_MS;
  let problems: readonly string[] = [];
  let serverUrl: string | undefined;

  async function apply(text: string): Promise<void> {
    const read = readMcpSettings(text, { env: options.env, folder: dirname(options.file) });
    for (const problem of read.problems) if (!problems.includes(problem)) options.onProblem(problem);
    problems = read.problems;
    const wanted = new Map(read.servers.map((settings) => [settings.name, settings]));
    for (const [name, { settings, connection }] of [...entries]) {
      const next = wanted.get(name);
      if (next && JSON.stringify(next) === JSON.stringify(settings)) wanted.delete(name);
      else {
        entries.delete(name);
        options.registry.remove(name);
        await connection.stop();
      }
    }
    const starts: Promise<void>[] = [];
    for (const settings of wanted.values()) {
      const entry = await openServer(settings, options, () => serverUrl && `${serverUrl}${CALLBACK_PATH}`);
      entries.set(settings.name, entry);
      starts.push(entry.connection.start());
    }
    await settlesWithin(Promise.all(starts), readyWithinMs);
  }

  const file = await watchSettingsFile({
    file: options.file,
    missing: "{}",
    apply,
    onError: (message) => options.onProblem(`The MCP servers could not be set up: ${message}.`),
  });

  return {
    status: () => [...entries.values()].map((entry) => entry.status()),
    problems: () => problems,
    listensAt(url) {
      // A browser cannot open the wildcard address.
      serverUrl = url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1");
      for (const { connection } of entries.values())
        if (connection.state === "unauthorized") void connection.start();
    },
    async finishAuthorization(callback) {
      const state = callback.get("state") ?? "";
      const entry = [...entries.values()].find(({ authorization }) => authorization?.expects(state));
      if (!entry)
        throw new Failure("INVALID_INPUT", "No authorization of this kind is under way. Start it again.");
      await entry.connection.finishAuthorization(callback).catch((cause: unknown) => {
        throw new Failure("UPSTREAM_ERROR", "The server did not accept the authorization. Start it again.", {
          cause,
          retryable: false,
        });
      });
      return entry.settings.name;
    },
    reload: file.reload,
    async close() {
      await file.close();
      await Promise.all([...entries.values()].map(({ connection }) => connection.stop()));
    },
  };
}

/** Prepares a server and its tools without starting it. */
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
        const call: Parameters<typeof serverTool>[0]["call"] = (...rest) => connection.call(...rest);
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
  // Loaded with the first server, because loading the MCP library takes most of the time.
  const { ServerConnection: Connection } = await import("./server-connection.ts");
  const connection: ServerConnection = new Connection({
    settings,
    version,
    allow,
    backoff: backoff ?? RESTART_BACKOFF,
    ...(authorization ? { authorization } : {}),
    async onTools(tools) {
      await pins.approveFirst(tools);
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
    connection,
    ...(authorization ? { authorization } : {}),
    status: () => ({
      name,
      state: connection.state,
      detail: connection.detail,
      tools: listed.length,
      doubted,
    }),
  };
}

/** Tokens are stored by name and address, so that a changed address does not receive the old tokens. */
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
