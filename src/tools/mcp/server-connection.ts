import type { Transport } from "@modelcontextprotocol/client";
import { type Backoff, backoffMs } from "../../protocol/abortable.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { describe, needsPerson, unauthorized } from "./call-failures.ts";
import { type Connection, connect, type Handshake, SessionGone } from "./connection.ts";
import type { ListedTool } from "./listing.ts";
import type { ServerAuthorization } from "./oauth.ts";
import { openLocal, openRemote } from "./open-connection.ts";
import { remoteTransport } from "./remote-transport.ts";
import type { ServerSettings } from "./settings.ts";

/** A local server that is silent for this time is taken for an older one. */
const SILENCE_MS = 10_000;
/** After this time, earlier failures are forgotten. */
const STEADY_MS = 60_000;

export type ServerState = "new" | "starting" | "ready" | "waiting" | "unauthorized" | "stopped";

export interface ServerConnectionOptions {
  settings: ServerSettings;
  version: string;
  /** For servers over HTTP without credentials in their settings. */
  authorization?: ServerAuthorization;
  allow: readonly string[];
  /** Where one person authorizes us. Undefined for a connection that the operator authorizes. */
  authorizeUrl?: string;
  /** True if people authorize us on connections of their own when this one is not let in. */
  isForEverybody: boolean;
  /** Before it is started again; the last one is kept to. */
  backoff: Backoff;
  onTools(tools: ListedTool[]): Promise<void> | void;
  /** One line for the operator. */
  report(line: string): void;
}

/** The connection to one server, restarted whenever it is lost. */
export class ServerConnection {
  state: ServerState = "new";
  /** Why it is not ready. */
  detail = "";
  private readonly parts: ServerConnectionOptions;
  private connection: Connection | undefined;
  /** The transport of a connection attempt. */
  private opening: Transport | undefined;
  private attempt: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private failures = 0;
  private readyAt = 0;
  private nextAt = 0;
  private reported = "";

  constructor(parts: ServerConnectionOptions) {
    this.parts = parts;
  }

  /** Tries to connect. Resolves either way and never throws. */
  start(): Promise<void> {
    clearTimeout(this.timer);
    if (this.state === "stopped") return Promise.resolve();
    this.state = "starting";
    this.attempt = this.tryToConnect();
    return this.attempt;
  }

  async stop(): Promise<void> {
    this.state = "stopped";
    clearTimeout(this.timer);
    await this.opening?.close();
    await this.attempt;
    await this.connection?.close();
    this.connection = undefined;
  }

  /** Calls a tool of the server. Throws `Failure`. */
  async call(tool: ListedTool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    try {
      return await this.ready().call(tool, args, context);
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      // The server was restarted and never saw the call, so it is safe to repeat.
      await this.start();
      return this.ready().call(tool, args, context);
    }
  }

  /** Reads a resource of the server. Throws `Failure`. */
  async readResource(uri: string, signal: AbortSignal): ReturnType<Connection["readResource"]> {
    const connection = this.ready();
    try {
      return await connection.readResource(uri, signal);
    } catch (error) {
      throw new Failure(
        "UPSTREAM_ERROR",
        `The MCP server "${this.parts.settings.name}" did not give this resource: ${describe(error)}`,
        { cause: error, untrusted: true, retryable: false },
      );
    }
  }

  /** Finishes an authorization with the browser's callback. Throws where the code is invalid. */
  async finishAuthorization(callback: URLSearchParams): Promise<void> {
    const { settings, authorization } = this.parts;
    if (settings.kind !== "remote" || !authorization) return;
    const transport = await remoteTransport(settings, "http", this.parts);
    await authorization.beginFinish(callback.get("state") ?? "");
    try {
      await transport.finishAuth(callback);
    } finally {
      authorization.endFinish();
      await transport.close();
    }
    await this.start();
  }

  private ready(): Connection {
    if (this.connection) return this.connection;
    const { name } = this.parts.settings;
    if (this.state === "unauthorized") throw unauthorized(name, this.parts.authorizeUrl);
    const seconds = Math.max(1, Math.ceil((this.nextAt - performance.now()) / 1000));
    throw new Failure(
      "UPSTREAM_ERROR",
      `The MCP server "${name}" is not running at the moment. It is being started again; try again in a little while.`,
      { retryAfter: seconds },
    );
  }

  /** Forgets what was authorized, so that the next call needs a new authorization. */
  async forget(): Promise<void> {
    await this.authorization?.invalidateCredentials("all");
  }

  get authorization(): ServerAuthorization | undefined {
    return this.parts.authorization;
  }

  private async tryToConnect(): Promise<void> {
    await this.connection?.close();
    this.connection = undefined;
    let lastWords = () => "";
    try {
      const opened = await this.openConnection((words) => {
        lastWords = words;
      });
      if (this.isStopped()) return await opened.close();
      this.connection = opened;
      this.state = "ready";
      this.detail = "";
      this.reported = "";
      this.readyAt = performance.now();
    } catch (error) {
      if (this.isStopped()) return;
      if (needsPerson(error)) this.waitForPerson();
      else this.retryLater(withLastWords(describe(error), lastWords()));
    } finally {
      this.opening = undefined;
    }
  }

  private openConnection(onWords: (words: () => string) => void): Promise<Connection> {
    const { settings } = this.parts;
    const over: Parameters<typeof openLocal>[1] = (...given) => this.connectOver(...given);
    return settings.kind === "local"
      ? openLocal(settings, over, onWords)
      : openRemote(settings, this.parts, over);
  }

  private connectOver(transport: Transport, handshake: Handshake, lastWords = () => ""): Promise<Connection> {
    const { settings, version, onTools, report } = this.parts;
    if (this.isStopped()) return Promise.reject(new Error("it was stopped"));
    this.opening = transport;
    return connect({
      server: settings.name,
      ...(settings.kind === "local" ? { probeMs: SILENCE_MS } : {}),
      transport,
      version,
      handshake,
      authorizeUrl: this.parts.authorizeUrl,
      onTools: async (tools) => {
        this.parts.authorization?.works();
        await onTools(tools);
      },
      onUnauthorized: () => this.waitForPerson(),
      onProblem: (line) => report(`The MCP server "${settings.name}": ${line}.`),
      onLost: (why) => {
        this.connection = undefined;
        if (this.state !== "ready") return;
        if (performance.now() - this.readyAt > STEADY_MS) this.failures = 0;
        this.retryLater(withLastWords(why || "it ended", lastWords()));
      },
    });
  }

  private retryLater(why: string): void {
    const { backoff, settings } = this.parts;
    const pause = backoffMs(++this.failures, backoff);
    this.state = "waiting";
    this.detail = why;
    this.nextAt = performance.now() + pause;
    if (why !== this.reported)
      this.parts.report(
        `The MCP server "${settings.name}" is not running: ${why}. It is started again from time to time.`,
      );
    this.reported = why;
    // A person's own connection is opened again with their next call.
    if (this.parts.authorizeUrl !== undefined) return;
    this.timer = setTimeout(() => void this.start(), pause);
    this.timer.unref();
  }

  private waitForPerson(): void {
    const { settings, authorization } = this.parts;
    if (this.parts.isForEverybody) {
      void this.connection?.close();
      this.connection = undefined;
    }
    // A connection that still works for other calls stays.
    if (!this.connection) this.state = "unauthorized";
    const url = authorization?.pendingUrl;
    if (this.parts.isForEverybody) this.detail = "each person has to authorize it for themselves";
    else
      this.detail = url
        ? `authorize it at ${url}`
        : "it wants to be authorized: start tackle serve, and open the address that it shows";
    // A person's own address is not used for others.
    if (this.detail !== this.reported && this.parts.authorizeUrl === undefined)
      this.parts.report(`The MCP server "${settings.name}" is not connected: ${this.detail}.`);
    this.reported = this.detail;
  }

  private isStopped(): boolean {
    return this.state === "stopped";
  }
}

function withLastWords(why: string, words: string): string {
  const line = words.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
  return line === "" ? why : `${why}; its last words: ${describe(line)}`;
}
