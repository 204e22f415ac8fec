import type { Accounts, PersonalSettings } from "../protocol/accounts.ts";
import type { Administration } from "../protocol/administration.ts";
import type { ArtifactEndpoint } from "../protocol/artifacts.ts";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Feed } from "../protocol/journal.ts";
import type { ErrorEntry } from "../protocol/ledger.ts";
import type { ChatLimits, Client, Throttle } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import type { Turns } from "../protocol/turns.ts";
import type { Admit } from "./admission.ts";
import type { HttpContext } from "./context.ts";
import type { GuardMetricsSource } from "./guard-metrics.ts";
import type { Identity } from "./identity.ts";
import type { Presence } from "./presence.ts";
import type { RunMetricsSource } from "./run-metrics.ts";

export interface HttpConfig {
  auth: "none" | "guest" | "required";
  /** Exact origins of other sites whose pages may call us. */
  corsOrigins: readonly string[];
  host: string;
  port: number;
  /** Folder of the web page; the plain one when not given. */
  webRoot?: string;
  /** True when a reverse proxy of ours sets `X-Forwarded-For` and `X-Forwarded-Proto`. */
  trustProxy?: boolean;
  /** Event streams at once, at most; a busy process takes fewer. */
  maxStreams?: number;
  /** Times and sizes of event streams; the defaults are right outside of tests. */
  stream?: Partial<StreamBounds>;
}

export interface StreamBounds {
  heartbeatMs: number;
  /** Bytes that may wait for a slow reader before we stop writing. */
  maxBufferedBytes: number;
  /** How long such a reader may take to catch up. */
  drainMs: number;
  /** How long a stream of OpenAI's dialect waits for the model's first sign, to answer a failure with its status. */
  patienceMs?: number;
}

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface RunOwner {
  userId: string;
  sessionId: string;
  messageId: string;
  /** Its own events are gone: what is told of it is made from its answer, with other numbers. */
  eventsCleared?: true;
}

/** The answer of a tool that was called directly. */
export interface DirectCall {
  success: boolean;
  toolName: string;
  data?: unknown;
  output: string;
  latencyMs: number;
  retryCount: number;
  /** Becomes headers of the answer. */
  limit?: LimitVerdict;
}

export interface McpEndpoint {
  /** Answers one request of somebody who was identified. */
  handle(
    request: Request,
    caller: { principal: Principal; gone: AbortSignal; body?: unknown },
  ): Promise<Response>;
  /** Goes on with an authorization at a server; answers the server's name. Throws `Failure`. */
  finishAuthorization(callback: URLSearchParams): Promise<string>;
}

/** All that the HTTP server is handed; it has no other way to the rest of the program. */
export interface HttpDeps {
  config: HttpConfig;
  log: Log;
  identity: Identity;
  limits: ChatLimits;
  /** Missing where everybody is the one local owner. */
  accounts?: Accounts;
  personalSettings?: PersonalSettings;
  administration?: Administration;
  /** Remembers an answer that should not have been one. Must not throw. */
  noteError?(error: ErrorEntry): void;
  /** Throws FORBIDDEN for somebody who is known but shut out. */
  admit?(principal: Principal): Promise<void>;
  presence?: Presence;
  artifacts?: ArtifactEndpoint;
  files?: Files;
  /** Counts an upload. Throws RATE_LIMITED. */
  takeUpload?(principal: Principal, client: Client): Promise<void>;
  /** The operations of one person; each refuses what is not theirs with FORBIDDEN or NOT_FOUND. */
  chatFor(principal: Principal): Chat;
  /** The turns of one person, for the doors that speak other protocols; missing where there are none. */
  turnsFor?(principal: Principal): Turns;
  feed: Feed;
  runOwner(runId: string): Promise<RunOwner | undefined>;
  /** Runs one tool behind all layers. Throws `Failure`. */
  callTool(
    principal: Principal,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options?: { requestId: string; traceparent: string | undefined },
  ): Promise<DirectCall>;
  /** Counts a direct call of a new guest by address. Throws RATE_LIMITED; answers how to give it back. */
  takeByAddress?(tool: string, client: Client): Promise<(() => Promise<void>) | undefined>;
  /** Our tools for other programs, over MCP. */
  mcp?: McpEndpoint;
  /** The fifth layer: whatever was thrown, as it may leave the process. Must not throw. */
  cleanError(thrown: unknown): Failure;
  /** What the first layer thinks of a text. */
  scan(text: string): { flagged: boolean; score: number; labels: string[] };
  ready(): Promise<{ ok: boolean; checks: Record<string, unknown> }>;
  /** Figures for `/metrics`, in camelCase: `activeRuns` becomes the gauge `tackle_active_runs`. */
  stats?(): Promise<Record<string, number>>;
  /** What runs and models do, for `/metrics`. */
  runMetrics?: RunMetricsSource;
  /** What the layers count, for `/metrics`. */
  guardMetrics?: GuardMetricsSource;
  throttle: Throttle;
  admission?: Admit;
}

/** The administration of a server that records usage. */
export function administrationOf(c: HttpContext): Administration {
  const { administration } = c.get("server").deps;
  if (administration) return administration;
  throw new Failure("NOT_FOUND", "This server does not record usage.");
}

/** The accounts of a server that has them. */
export function accountsOf(c: HttpContext): Accounts {
  const { accounts } = c.get("server").deps;
  if (accounts) return accounts;
  throw new Failure(
    "NOT_FOUND",
    "This server has no accounts: everybody who can reach it is its owner. To change that, set TACKLE_AUTH to guest or required.",
  );
}
