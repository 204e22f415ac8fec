import type { Accounts, PersonalSettings } from "../protocol/accounts.ts";
import type { AddedTools } from "../protocol/added-tools.ts";
import type { Administration } from "../protocol/administration.ts";
import type { AlwaysApprovals } from "../protocol/always.ts";
import type { AppEndpoint } from "../protocol/apps.ts";
import type { ArtifactEndpoint } from "../protocol/artifacts.ts";
import type { Audit, AuditReader } from "../protocol/audit.ts";
import type { Chat, DirectAnswer } from "../protocol/chat.ts";
import type { Drafts } from "../protocol/drafts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Feed } from "../protocol/journal.ts";
import type { ErrorEntry } from "../protocol/ledger.ts";
import type { ChatLimits, Client, Throttle } from "../protocol/limits.ts";
import type { PersonalMcpServers } from "../protocol/mcp-servers.ts";
import type { ModelServers } from "../protocol/model-servers.ts";
import type { Push } from "../protocol/notices.ts";
import type { PolicyBook } from "../protocol/policy-book.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Projects } from "../protocol/projects.ts";
import type { Prompts } from "../protocol/prompts.ts";
import type { Shares } from "../protocol/shares.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import type { Turns } from "../protocol/turns.ts";
import type { RequestWaits } from "../protocol/waits.ts";
import type { Admit } from "./admission.ts";
import type { Identity } from "./caller.ts";
import type { HttpContext } from "./context.ts";
import type { GuardMetricsSource } from "./guard-metrics.ts";
import type { GuestTrafficLimits } from "./guest-traffic.ts";
import type { Presence } from "./presence.ts";
import type { RunMetricsSource } from "./run-metrics.ts";
import type { MetricsSnapshot } from "./sum-metrics.ts";

export interface HttpConfig {
  auth: "none" | "guest" | "required";
  /** Exact origins of other sites whose pages may call us. */
  corsOrigins: readonly string[];
  /** The address that people use, without a path. */
  publicUrl?: string | undefined;
  /** The outside issuer whose tokens are accepted, if there is one. */
  jwt?: { issuer?: string };
  /** Opens the metrics to other machines. */
  metricsToken?: string | undefined;
  host: string;
  port: number;
  /** The folder of the web app. */
  webRoot?: string;
  /** True behind a trusted reverse proxy that sets `X-Forwarded-For` and `X-Forwarded-Proto`. */
  trustProxy?: boolean;
  /** The maximum number of event streams. A busy process takes fewer. */
  maxStreams?: number;
  requestLimits?: GuestTrafficLimits;
  /** Limits of event streams. Only tests change them. */
  stream?: Partial<StreamBounds>;
}

export interface StreamBounds {
  heartbeatMs: number;
  /** The bytes that are buffered for a slow reader. */
  maxBufferedBytes: number;
  /** How long a slow reader may take to catch up. */
  drainMs: number;
  /** How long a stream in OpenAI's dialect waits for the first output, so that an early failure gets its status. */
  patienceMs?: number;
}

export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface OwnRun {
  id: string;
  /** Its events were cleared. A replay is made from its answer, with other numbers. */
  eventsCleared?: true;
}

export interface McpEndpoint {
  /** Loads its library. Must not throw. */
  prepare(): Promise<unknown>;
  /** Handles a request of an authenticated caller. */
  handle(
    request: Request,
    caller: { principal: Principal; gone: AbortSignal; requestId: string; body?: unknown },
  ): Promise<Response>;
  /** The servers that we use ourselves. */
  servers: PersonalMcpServers;
}

/** What the HTTP server needs from the rest of the program. */
export interface HttpDeps {
  config: HttpConfig;
  log: Log;
  identity: Identity;
  limits: ChatLimits;
  /** Missing where everybody is the local owner. */
  accounts?: Accounts;
  personalSettings?: PersonalSettings;
  drafts?: Drafts;
  administration?: Administration;
  audit?: Audit;
  auditReader?: AuditReader;
  /** Records an error response. Must not throw. */
  noteError?(error: ErrorEntry): void;
  /** Throws FORBIDDEN for a suspended user. */
  admit?(principal: Principal): Promise<void>;
  /** Notices to people's browsers. */
  push?: Push;
  presence?: Presence;
  artifacts?: ArtifactEndpoint;
  /** The interfaces of tools. */
  apps?: AppEndpoint;
  /** Prompts that people save. */
  prompts?: Prompts;
  /** Tools that administrators add. */
  addedTools?: AddedTools;
  /** Model servers that administrators add. */
  modelServers?: ModelServers;
  /** The rules about what may run without asking. */
  policy?: PolicyBook;
  /** What people said "always" to. */
  always?: AlwaysApprovals;
  files?: Files;
  /** Links to frozen copies of conversations. */
  shares?: Shares;
  /** Counts an upload. Throws RATE_LIMITED. */
  takeUpload?(principal: Principal, client: Client): Promise<void>;
  /** The chat of one person. It throws FORBIDDEN or NOT_FOUND for what is not theirs. */
  chatFor(principal: Principal): Chat;
  /** The turns of one person, for other protocols. */
  turnsFor?(principal: Principal): Turns;
  /** The projects of one person. */
  projectsFor?(principal: Principal): Projects;
  feed: Feed;
  /** The events of accounts, by their id. */
  accountFeed?: Feed;
  /** Returns a run of this person. Throws NOT_FOUND or FORBIDDEN. */
  ownRun(principal: Principal, runId: string): Promise<OwnRun>;
  /** Runs one tool behind all layers. The limit is sent as headers. Throws `Failure`. */
  callTool(
    principal: Principal,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options?: { requestId: string; traceparent: string | undefined },
  ): Promise<DirectAnswer & { limit?: LimitVerdict }>;
  /** Counts a direct call of a new guest by address. Returns a function that refunds it. Throws RATE_LIMITED. */
  takeByAddress?(tool: string, client: Client): Promise<(() => Promise<void>) | undefined>;
  /** Our tools for other programs, over MCP. */
  mcp?: McpEndpoint;
  /** The fifth layer: makes an error safe to send. Must not throw. */
  cleanError(thrown: unknown): Failure;
  /** Scans a text with the first layer. */
  scan(text: string): Promise<{ flagged: boolean; score: number; labels: string[] }>;
  ready(deep?: boolean): Promise<{ ok: boolean; checks: Record<string, unknown> }>;
  /** Gauges for `/metrics`: `activeRuns` becomes `tackle_active_runs`. */
  stats?(): Promise<Record<string, number>>;
  /** The metrics of all processes that share the port, with those of this one. Missing for a single process. */
  allProcesses?: (() => Promise<MetricsSnapshot[]>) | undefined;
  /** Facts about runs and models, for `/metrics`. */
  runMetrics?: RunMetricsSource;
  /** Measures the overhead of each answer. */
  waits?: RequestWaits;
  /** Facts about the guard, for `/metrics`. */
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
