import { dirname } from "node:path";
import { settlesWithin } from "../../protocol/abortable.ts";
import type { SourceDetail } from "../../protocol/added-tools.ts";
import type { AppServers } from "../../protocol/apps.ts";
import { Failure } from "../../protocol/failure.ts";
import type { PersonalMcpServers } from "../../protocol/mcp-servers.ts";
import type { Principal } from "../../protocol/principal.ts";
import { watchSettingsFile } from "../settings-file.ts";
import type { ConfiguredServer, ServerParts, ServerStatus } from "./configured-server.ts";
import { detailOf, SHOWN_STATES } from "./server-detail.ts";
import { readMcpSettings } from "./settings.ts";

/** The OAuth callback: where browsers return after a person has authorized us at a server. */
const CALLBACK_PATH = "/mcp/oauth/callback";
/** Where authorization servers read who we are, if the internet can reach us. */
const METADATA_PATH = "/mcp/oauth/client.json";
/** How long a start waits for servers. Slower servers join later. */
const READY_WITHIN_MS = 5_000;

export interface McpServersOptions extends Omit<ServerParts, "callbackUrl" | "metadataUrl" | "authorizeUrl"> {
  /** The `mcp.json`; it need not exist yet. */
  file: string;
  env: Readonly<Record<string, string | undefined>>;
  /** What guests may use besides the harmless tools: names of tools or of servers. */
  guestTools?: readonly string[];
  /** The address that people use, if it is not the one that the server listens at. */
  publicUrl?: string | undefined;
  readyWithinMs?: number;
}

/** The servers of the `mcp.json`, running. */
export interface McpServers extends PersonalMcpServers {
  status(): ServerStatus[];
  /** What is wrong with the file. */
  problems(): readonly string[];
  /** What apps may do with their servers. */
  apps: AppServers;
  /** Sets the address of our own server, for OAuth callbacks. */
  listensAt(url: string): void;
  /** Ends the connections of a person who has left. */
  leave(userId: string): Promise<void>;
  /** Reads the file again and applies the changes. */
  reload(): Promise<void>;
  /** Sets the servers that are not in the file, as entries of such a file without variables. */
  setAdded(entries: Readonly<Record<string, unknown>>): Promise<void>;
  /** All servers, with what is wrong with them. */
  details(): SourceDetail[];
  /** Reconnects to a server. */
  restart(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the servers and adds their tools to the registry, now and whenever the file or a server changes. */
export async function startMcpServers(options: McpServersOptions): Promise<McpServers> {
  const entries = new Map<string, ConfiguredServer>();
  const readyWithinMs = options.readyWithinMs ?? READY_WITHIN_MS;
  let problems: readonly string[] = [];
  let added: Readonly<Record<string, unknown>> = {};
  let inFile: ReadonlySet<string> = new Set();
  let serverUrl: string | undefined = options.publicUrl?.replace(/\/$/, "");
  const parts: ServerParts = {
    ...options,
    callbackUrl: () => serverUrl && `${serverUrl}${CALLBACK_PATH}`,
    authorizeUrl: (name) => `${serverUrl ?? ""}/mcp/servers/${name}/authorize`,
    // Only an address that the internet can reach names us.
    metadataUrl: () => (serverUrl?.startsWith("https://") ? `${serverUrl}${METADATA_PATH}` : undefined),
  };

  async function apply(text: string): Promise<void> {
    const folder = dirname(options.file);
    const read = readMcpSettings(text, { env: options.env, folder });
    // A person who adds a server may not read the variables of this process.
    const more = readMcpSettings(JSON.stringify({ mcpServers: added }), { env: {}, folder });
    inFile = new Set(read.servers.map(({ name }) => name));
    const found = [...read.problems, ...more.problems];
    for (const problem of found) if (!problems.includes(problem)) options.onProblem(problem);
    problems = found;
    const wanted = new Map([...more.servers, ...read.servers].map((settings) => [settings.name, settings]));
    const stops = new Map<string, Promise<void>>();
    for (const [name, entry] of [...entries]) {
      const next = wanted.get(name);
      if (next && JSON.stringify(next) === JSON.stringify(entry.settings)) wanted.delete(name);
      else {
        entries.delete(name);
        options.registry.remove(name);
        stops.set(name, entry.stop());
      }
    }
    const starts: Promise<void>[] = [];
    for (const settings of wanted.values()) {
      // Loaded with the first server, because loading the MCP library takes most of the time.
      const { ConfiguredServer: Server } = await import("./configured-server.ts");
      const entry = await Server.open(settings, parts);
      entries.set(settings.name, entry);
      // Only one that takes the place of another waits for its end.
      starts.push((stops.get(settings.name) ?? Promise.resolve()).then(() => entry.start()));
    }
    await settlesWithin(Promise.all(starts), readyWithinMs);
  }

  const file = await watchSettingsFile({
    file: options.file,
    missing: "{}",
    apply,
    onError: (message) => options.onProblem(`The MCP servers could not be set up: ${message}.`),
  });

  /** Guests know only of the servers that they may use. */
  const isFor = ({ kind }: Principal, server: string) =>
    kind !== "guest" ||
    options.guestTools?.some((one) => one === server || one.startsWith(`${server}.`)) === true;

  const visibleTo = (principal: Principal) =>
    [...entries.values()].filter(({ settings }) => isFor(principal, settings.name));

  function entryOf(principal: Principal, server: string): ConfiguredServer {
    const entry = isFor(principal, server) ? entries.get(server) : undefined;
    if (entry) return entry;
    throw new Failure("NOT_FOUND", "There is no MCP server with this name.");
  }

  async function serverThatExpects(principal: Principal, state: string) {
    for (const entry of visibleTo(principal)) {
      const connection = entry.connectionOf(principal);
      if (await connection.authorization?.expects(state)) return { entry, connection };
    }
    throw new Failure("INVALID_INPUT", "No authorization of this kind is under way. Start it again.");
  }

  return {
    status: () => [...entries.values()].map((entry) => entry.status()),
    problems: () => problems,
    apps: {
      tool: (server, name) => entries.get(server)?.appTools.get(name),
      allowedDomains: (server) => entries.get(server)?.settings.appDomains ?? [],
      async readResource(server, uri, { principal, signal }) {
        const connection = await entries.get(server)?.connectionFor(principal);
        if (!connection) throw new Failure("NOT_FOUND", "There is no longer an MCP server with this name.");
        return connection.readResource(uri, signal);
      },
    },
    listensAt(url) {
      // A browser cannot open the wildcard address.
      serverUrl ??= url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//127.0.0.1");
      for (const { shared } of entries.values()) if (shared.state === "unauthorized") void shared.start();
    },
    clientMetadata: () => ({
      client_id: parts.metadataUrl(),
      client_name: "Tackle",
      client_uri: serverUrl,
      redirect_uris: [parts.callbackUrl()],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "web",
    }),
    list: (principal) =>
      Promise.all(
        visibleTo(principal).map(async (entry) => {
          const { name } = entry.settings;
          const { state, authorization } = await entry.connectionFor(principal);
          const isWaiting = authorization?.pendingUrl !== undefined;
          return {
            name,
            state: SHOWN_STATES[state],
            tools: entry.status().tools,
            ...(isWaiting ? { authorizeUrl: parts.authorizeUrl(name) } : {}),
            ...((await entry.isGrantedBy(principal)) ? { authorized: true as const } : {}),
          };
        }),
      ),
    async authorizationUrl(principal, server) {
      const connection = await entryOf(principal, server).connectionFor(principal);
      const url = connection.authorization?.pendingUrl;
      if (url === undefined)
        throw new Failure("NOT_FOUND", "This MCP server needs no authorization from you.");
      return url;
    },
    forget: async (principal, server) => entryOf(principal, server).forget(principal),
    async leave(userId) {
      await Promise.all([...entries.values()].map((entry) => entry.leave(userId)));
    },
    async finishAuthorization(principal, callback) {
      const { entry, connection } = await serverThatExpects(principal, callback.get("state") ?? "");
      await connection.finishAuthorization(callback).catch((cause: unknown) => {
        throw new Failure("UPSTREAM_ERROR", "The server did not accept the authorization. Start it again.", {
          cause,
          retryable: false,
        });
      });
      return entry.settings.name;
    },
    reload: file.reload,
    async setAdded(servers) {
      added = servers;
      await file.reload();
    },
    details: () => [
      ...[...entries.values()].map((entry) => detailOf(entry, inFile.has(entry.settings.name))),
      // Those that could not be started.
      ...problems.flatMap((problem): SourceDetail[] => {
        const name = /^The MCP server "([^"]+)"/.exec(problem)?.[1];
        if (name === undefined || entries.has(name)) return [];
        const from = Object.hasOwn(added, name) ? "added" : "file";
        return [{ name, from, state: "unavailable", problem, secrets: [] }];
      }),
    ],
    async restart(name) {
      const entry = entries.get(name);
      if (!entry) return;
      await entry.shared.stop();
      entries.delete(name);
      options.registry.remove(name);
      await file.reload();
    },
    async close() {
      await file.close();
      await Promise.all([...entries.values()].map((entry) => entry.stop()));
    },
  };
}
