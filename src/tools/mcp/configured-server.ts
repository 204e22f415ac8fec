import { join } from "node:path";
import type { Backoff } from "../../protocol/abortable.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Tool, ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { pageIn } from "./apps.ts";
import { credentialName, fileSlot, type PersonalCredentials, personalSlot } from "./credentials.ts";
import { openKnownTools } from "./known-tools.ts";
import { type ListedTool, shown } from "./listing.ts";
import { ServerAuthorization } from "./oauth.ts";
import { configuredGrant } from "./oauth-settings.ts";
import { PersonalConnections } from "./personal-connections.ts";
import { openPins, type PinStore } from "./pins.ts";
import { ServerConnection, type ServerState } from "./server-connection.ts";
import type { RemoteServer, ServerSettings } from "./settings.ts";
import { type ServerToolParts, serverTool } from "./tool.ts";

/** How long to wait before a server that ended is restarted. */
const RESTART_BACKOFF: Backoff = { firstMs: 500, maxMs: 60_000 };

export interface ServerParts {
  /** Folder for the OAuth tokens of the operator. */
  tokenFolder: string;
  store: PinStore;
  registry: { add(tool: Tool, source: string): void; remove(source: string): void };
  /** `host:port` that may be private. */
  allow: readonly string[];
  version: string;
  /** Called with one line for each problem. */
  onProblem(line: string): void;
  backoff?: Backoff;
  /** Keeps each person's credentials apart. Undefined if everybody who can reach this server is its owner. */
  personal?: PersonalCredentials["vault"] | undefined;
  callbackUrl(): string | undefined;
  metadataUrl(): string | undefined;
  /** Where a person is sent on to the authorization server. */
  authorizeUrl(server: string): string;
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

/** One server of the `mcp.json`, with its tools in the registry and the connections to it. */
export class ConfiguredServer {
  readonly settings: ServerSettings;
  /** The connection that needs no authorization, or the owner's. */
  readonly shared: ServerConnection;
  /** The tools that its apps may call, by the server's names. */
  readonly appTools = new Map<string, Tool>();
  private readonly parts: ServerParts;
  private readonly personal = new PersonalConnections();
  private readonly pins: Awaited<ReturnType<typeof openPins>>;
  private readonly known: Awaited<ReturnType<typeof openKnownTools>>;
  private listed: ListedTool[] = [];
  private doubted: string[] = [];

  /** Prepares a server without starting it. */
  static async open(settings: ServerSettings, parts: ServerParts): Promise<ConfiguredServer> {
    const pins = await openPins(parts.store, settings.name);
    const known = await openKnownTools(parts.store, settings);
    return new ConfiguredServer(settings, parts, pins, known);
  }

  private constructor(
    settings: ServerSettings,
    parts: ServerParts,
    pins: ConfiguredServer["pins"],
    known: ConfiguredServer["known"],
  ) {
    this.settings = settings;
    this.parts = parts;
    this.pins = pins;
    this.known = known;
    this.shared = this.connectionWith(this.sharedAuthorization(), (tools) => this.list(tools, true));
  }

  async start(): Promise<void> {
    await this.shared.start();
    // People authorize themselves later. Until then, the tools are those that somebody last saw.
    if (this.isPersonal() && this.listed.length === 0) await this.list(this.known.tools(), false);
  }

  async stop(): Promise<void> {
    await Promise.all([this.shared.stop(), this.personal.closeAll()]);
  }

  status(): ServerStatus {
    const { state, detail } = this.shared;
    const { name } = this.settings;
    return { name, state, detail, tools: this.listed.length, doubted: this.doubted };
  }

  /** Whether each person has to authorize themselves. */
  isPersonal(): boolean {
    return this.parts.personal !== undefined && this.shared.state === "unauthorized";
  }

  /** The connection that a person's calls go over. It is opened if need be. */
  async connectionFor(principal: Principal): Promise<ServerConnection> {
    const connection = this.connectionOf(principal);
    const isDown = connection.state === "waiting" && connection !== this.shared;
    if (connection.state === "new" || isDown) await connection.start();
    return connection;
  }

  /** The same connection, perhaps not opened yet. */
  connectionOf({ id }: Principal): ServerConnection {
    const { personal: vault, store } = this.parts;
    const { settings } = this;
    if (!vault || !this.isPersonal() || settings.kind !== "remote") return this.shared;
    return this.personal.of(id, () =>
      this.connectionWith(
        this.authorizationWith(settings, personalSlot({ store, vault }, id, credentialName(settings))),
        (tools) => this.list(tools, false),
        this.parts.authorizeUrl(settings.name),
      ),
    );
  }

  /** Ends a person's connection and forgets what they authorized. */
  async forget(principal: Principal): Promise<void> {
    const connection = this.connectionOf(principal);
    await connection.forget();
    if (connection !== this.shared) return this.personal.close(principal.id);
    // The owner's connection is still open with what was forgotten.
    if (!this.parts.personal) await connection.start();
  }

  /** Whether this person has granted access themselves. */
  async isGrantedBy(principal: Principal): Promise<boolean> {
    if (!isForPeople(this.settings)) return false;
    return (await this.connectionOf(principal).authorization?.tokens()) !== undefined;
  }

  /** Ends the connection of a person who has left. */
  leave(userId: string): Promise<void> {
    return this.personal.close(userId);
  }

  /** Calls a tool on the caller's connection. */
  private async call(
    tool: ListedTool,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolOutput> {
    const connection = await this.connectionFor(context.principal);
    try {
      return await connection.call(tool, args, context);
    } catch (error) {
      // The server has let us in so far, but wants to know for whom this call is. It was not made.
      if (connection !== this.shared || !this.isPersonal()) throw error;
      return (await this.connectionFor(context.principal)).call(tool, args, context);
    }
  }

  private connectionWith(
    authorization: ServerAuthorization | undefined,
    onTools: (tools: ListedTool[]) => Promise<void>,
    authorizeUrl?: string,
  ): ServerConnection {
    const { version, allow, backoff, onProblem } = this.parts;
    return new ServerConnection({
      settings: this.settings,
      version,
      allow,
      backoff: backoff ?? RESTART_BACKOFF,
      authorization,
      authorizeUrl,
      isForEverybody: this.parts.personal !== undefined && authorizeUrl === undefined,
      onTools,
      report: onProblem,
    });
  }

  /** Takes over what a connection lists. One person's list does not remove what another one may use. */
  private async list(tools: ListedTool[], isWhole: boolean): Promise<void> {
    const { name } = this.settings;
    if (this.shared.state === "stopped") return;
    await this.pins.approveFirst(tools);
    const before = new Map(this.listed.map((tool) => [tool.name, tool.hash]));
    const others = isWhole ? [] : this.listed.filter((one) => tools.every((tool) => tool.name !== one.name));
    const next = [...others, ...tools];
    const same = next.length === before.size && next.every((tool) => before.get(tool.name) === tool.hash);
    this.listed = next;
    if (same) return;
    this.register();
    if (!isWhole) await this.known.keep(next);
    if (this.doubted.length > 0)
      this.parts.onProblem(
        `The MCP server "${name}" changed tools since they were approved: ${this.doubted.join(", ")}. Each is asked about before it runs.`,
      );
  }

  private register(): void {
    const { registry, onProblem } = this.parts;
    const { settings: server, pins } = this;
    const { name } = server;
    registry.remove(name);
    this.appTools.clear();
    this.doubted = this.listed
      .filter((tool) => pins.doubt(tool) !== undefined)
      .map((tool) => shown(tool.name));
    const approved = () => this.register();
    const call: ServerToolParts["call"] = (...given) => this.call(...given);
    const readPage: ServerToolParts["readPage"] = async (uri, { principal, signal }) =>
      pageIn(await (await this.connectionFor(principal)).readResource(uri, signal), uri);
    for (const listed of this.listed) {
      try {
        const current = () => this.listed.find((one) => one.name === listed.name);
        const tool = serverTool({ server, listed, pins, current, call, readPage, approved });
        if (listed.interface?.app !== false) this.appTools.set(listed.name, tool);
        // What only apps may call is not even known to the registry, so no model can call it.
        if (listed.interface?.model !== false) registry.add(tool, name);
      } catch (error) {
        const why = error instanceof Error ? error.message : "it cannot be read";
        onProblem(`The MCP server "${name}": its tool "${shown(listed.name)}" is not offered: ${why}`);
      }
    }
  }

  /** The operator's own credentials: those of the settings, or what the owner authorized. */
  private sharedAuthorization(): ServerAuthorization | undefined {
    const { settings } = this;
    if (settings.kind !== "remote") return undefined;
    const bringsOwn = Object.keys(settings.headers).some(
      (header) => header.toLowerCase() === "authorization",
    );
    if (bringsOwn || (isForPeople(settings) && this.parts.personal)) return undefined;
    const file = join(this.parts.tokenFolder, `${credentialName(settings)}.json`);
    return this.authorizationWith(settings, fileSlot(file));
  }

  private authorizationWith({ oauth }: RemoteServer, slot: ReturnType<typeof fileSlot>): ServerAuthorization {
    const { callbackUrl, metadataUrl } = this.parts;
    return new ServerAuthorization({ slot, oauth, callbackUrl, metadataUrl });
  }
}

/** Whether a person has to grant access, and not the settings alone. */
function isForPeople(settings: ServerSettings): boolean {
  if (settings.kind !== "remote") return false;
  const grant = configuredGrant(settings.oauth);
  return grant === undefined || grant === "authorization_code";
}
