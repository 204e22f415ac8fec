import type { AppResult, ToolApp } from "./apps.ts";
import type { UserArtifacts } from "./artifacts.ts";
import type { Audit } from "./audit.ts";
import type { CommandServices } from "./commands.ts";
import type { ContentBlock } from "./content.ts";
import type { ChatEvent } from "./events.ts";
import type { UserFiles } from "./files.ts";
import type { JsonSchema } from "./json.ts";
import type { ShownShare } from "./long-text.ts";
import type { ToolResultPart, Trust } from "./messages.ts";
import type { ModelAnswer, ModelQuestion, ModelRole, Spending } from "./model-question.ts";
import type { ShownPlan } from "./plan.ts";
import type { Principal } from "./principal.ts";
import type { FoundPiece } from "./projects.ts";
import type { AskPerson } from "./questions.ts";
import type { Reason } from "./reasons.ts";
import type { LogLevel, ToolClient } from "./tool-client.ts";
import type { UndoEntry, UndoJournal } from "./undo.ts";

/** What a call does outside of the process. The policy depends on it. */
export type Effect = "none" | "read" | "write" | "network";

/** What may be repeated after a crash: `pure` and `idempotent` calls run again, `unsafe` calls never do silently. */
export type Retry = "pure" | "idempotent" | "unsafe";

export interface ToolProgress {
  message: string;
  phase?: string;
  percent?: number;
  chunk?: string;
}

/** What a tool is given besides its arguments. */
export interface ToolContext {
  readonly toolCallId: string;
  readonly principal: Principal;
  readonly sessionId: string | undefined;
  readonly runId: string | undefined;
  /** The id of the request that led to this call, as in its response and in the log. */
  readonly requestId: string;
  /** The same for every attempt at one call. Pass it to services that support idempotency keys. */
  readonly idempotencyKey: string;
  /** Aborts on cancel and on timeout. A tool that spawns processes or fetches must pass it on. */
  readonly signal: AbortSignal;
  /** Folders that this caller may use. Relative paths start in the first one. */
  readonly roots: readonly string[];
  /** False for a path below the roots that a rule of the policy closes. Missing where no rules apply. */
  mayRead?(path: string): boolean;
  /** `host:port` of private addresses that a fetch may reach. */
  readonly fetchAllow?: readonly string[];
  /** Lets a child run work on a task. Missing outside of runs. */
  delegate?(task: DelegatedTask): Promise<ToolOutput>;
  /** The project's own instructions for a file below, which the model has not been given yet. Empty if there are none. */
  instructionsFor?(path: string): Promise<string>;
  now(): Date;
  /** Tells the person how far the call is. People's own tools may pass a sentence and a percentage instead. */
  progress(progress: ToolProgress): void;
  /** Writes a line for the program that called over MCP. Does nothing elsewhere. */
  log?(level: LogLevel, message: string): void;
  /** The program that called over MCP. Missing elsewhere. */
  readonly client?: ToolClient;
  /** Shows the person something with its own event: an artifact, an image, sources. */
  show(event: ToolEvent): void;
  /** Asks the person who talks to the assistant. Missing where there is no run that could wait. */
  readonly ask?: AskPerson;
  /** False if nobody is there to answer. */
  readonly attended?: boolean;
  /** True if the person made the call themselves, not a model. */
  readonly isDirect?: boolean;
  /** Pauses the time limit of the call while a person is asked. The layer that limits the time sets it. */
  readonly timeLimit?: { pause(): void; resume(): void };
  /** The audit log. Only our own code writes to it. */
  readonly audit?: Audit;
  /** Records changes so that they can be undone. Without it, changes are made but not recorded. */
  readonly undo?: UndoJournal;
  /** What the person was shown when they approved this very call. A tool refuses to do anything else. */
  readonly approvedPreview?: string;
  /** The plan that the person has approved with this very call. */
  readonly approvedPlan?: ShownPlan;
  /** The command sandbox. Without it no command may run. */
  readonly sandbox?: Sandbox;
  /** What commands need besides the sandbox. Without it their home is the first root. */
  readonly commands?: CommandServices;
  /** Our own data and settings. No command may see or create them, even inside of a root. */
  readonly protectedPaths?: readonly string[];
  /** What the models that this call asked have used so far, including failed attempts. */
  readonly spending?: Spending;
  /** Asks another model to do part of the tool's work. Throws `Failure`. */
  askModel?(question: ModelQuestion): Promise<ModelAnswer>;
  /** Works with an outside service behind its circuit breaker. Throws BREAKER_OPEN at once while that is open. */
  behindBreaker?<Result>(service: string, work: () => Promise<Result>): Promise<Result>;
  /** This caller's artifacts. */
  readonly artifacts?: UserArtifacts;
  /** This caller's files. */
  readonly files?: UserFiles;
  /** Returns the whole result of an earlier call in the session of this run. */
  readResult?(toolCallId: string): Promise<EarlierResult | undefined>;
  /** Remembers a line about the person. Missing where memory is off. */
  remember?(text: string): Promise<"new" | "known">;
  /** Returns the passages of the project's files that fit a query best. Missing where there are none. */
  searchFiles?(query: string, most: number): Promise<(FoundPiece & { url: string })[]>;
  /** How many characters of one result the model of this run has room for. */
  readonly resultCharacters?: number;
  /** An operator's setting that is not secret, such as the URL of a service. */
  setting?(name: string): string | undefined;
  /** The caller's own key for a service, or else the operator's, by setting name: `TAVILY_API_KEY`. */
  secret?(name: string): Promise<string | undefined>;
}

/** A task for a child run. */
export interface DelegatedTask {
  task: string;
  /** A part of the parent's tools; all of them when left out. */
  tools?: readonly string[];
  model?: string;
  signal: AbortSignal;
}

/** A result of an earlier call. Who reads it again must treat its text as before. */
export type EarlierResult = Pick<
  ToolResultPart,
  "toolName" | "trust" | "origin" | "effect" | "sources" | "private" | "links" | "labels"
> & { text: string };

/** How commands are confined on this machine, found by trying. */
export interface Sandbox {
  /** `none`: commands cannot be confined and are not offered. `bare`: the operator allows unconfined commands. */
  readonly tier: "bubblewrap" | "landlock" | "macos" | "bare" | "none";
  /** The program that confines them. */
  readonly program?: string;
  /** It works for root alone, so root's commands keep root's id in it. */
  readonly keepsRoot?: boolean;
  /** What is guaranteed, in one sentence. */
  readonly detail: string;
  /** How to get better confinement. Empty if there is nothing better. */
  readonly improve: string;
}

/** Events that a tool may show; the loop adds the call's id. */
export type ToolEvent = Extract<
  ChatEvent,
  {
    type:
      | "artifact_delta"
      | "artifact_complete"
      | "image_complete"
      | "web_search"
      | "todo"
      | "reasoning_status"
      | "warning";
  }
>;

/** What a tool returns: the text for the model, and data for programs. */
export interface ToolOutput {
  output: string;
  data?: unknown;
  /** What a server sent, word for word. Only the tool's own interface gets it. */
  received?: AppResult;
  /** Images for models that see them, and for the person. */
  images?: { mimeType: string; base64: string }[];
  /** The whole result in parts, for programs that take more than text and images. Its texts are those of `output`. */
  content?: ContentBlock[];
  trust?: Trust;
  /** Set if the untrusted text comes from the person's own folders. */
  origin?: "workspace";
  /** As in `ToolResultPart`. If the tool does not say, its own source counts. */
  sources?: string[];
  private?: boolean;
  links?: string[];
  /** The effect and the labels of the call that the text comes from, if that was an earlier one. */
  effect?: Effect;
  labels?: string[];
  cached?: boolean;
  /** How many requests to a service it made beyond the first. Those to models are counted for it. */
  retryCount?: number;
  /** What the call cost, not counting the models that it asked. */
  costUsd?: number;
}

/** How dangerous a call is. */
export interface CallRisk {
  risk: "low" | "medium" | "high";
  /** One sentence for the person. */
  reason?: string | Reason;
}

export interface ParameterIssue {
  path: string;
  message: string;
}

export type Parsed = { ok: true; value: unknown } | { ok: false; issues: ParameterIssue[] };

/** A tool in the registry. Its parameter type is erased, so `parse` has to come before `run`. */
export interface Tool {
  readonly name: string;
  /** Other names it answers to. */
  readonly aliases: readonly string[];
  /** Changes with the tool's code, where that can change while the server runs. Approvals are bound to it. */
  readonly version?: string;
  readonly description: string;
  readonly effect: Effect;
  readonly retry: Retry;
  /** Whether its results come from Tackle and the person alone. People's own tools have to say so. */
  readonly trust: Trust;
  /** The configured server that it belongs to, or the tool itself if a person wrote it. Missing for our own tools. */
  readonly source?: string;
  /** True if it only reads, although its calls reach the network. */
  readonly readOnly?: boolean;
  /** True if a source that the operator trusts says that its calls remove nothing. */
  readonly adds?: boolean;
  /** What a person can ask for by name, such as the prompts of an MCP server: `/server.name`. */
  readonly commands?: readonly { name: string; description: string }[];
  readonly parameters: JsonSchema;
  /** Other names of its parameters. If this is set, snake_case is accepted too. */
  readonly spellings?: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  /** The row of the limits table that its calls count towards. */
  readonly limit: string | undefined;
  /** False if it must not run at the same time as another call of the turn. */
  readonly parallel: boolean;
  /** True if it shows its work while it runs. */
  readonly streaming: boolean;
  /** True if it works only in a session that we keep. It is not offered to clients that keep the history themselves. */
  readonly sessionOnly?: boolean;
  /** True if what it writes is read again in other sessions. It is asked about once text from outside has been read, and only then. */
  readonly lasting?: boolean;
  /** How much of a long output the model is shown. The rest can be read with `read_result`. */
  readonly shown?: ShownShare;
  /**
   * Whether a call over MCP may continue without a connection. Those that take long do, where the client can follow them; `required`
   * refuses other clients, `never` keeps the client waiting.
   */
  readonly task?: "required" | "never";
  /** The job that it gives to a model, if it does. */
  readonly modelRole?: ModelRole;
  /** How long a result may be reused for the same caller and arguments. Never set on tools that change something. */
  readonly cacheSeconds?: number;
  /** The interface that shows its results. */
  readonly app?: ToolApp;
  parse(args: unknown): Parsed;
  /** The outside service or host that this call goes to. Each has its own circuit breaker. */
  upstream?(args: unknown, context: ToolContext): Promise<string | undefined> | string | undefined;
  /** The effect with these arguments, for tools that both read and write. */
  effectOf(args: unknown): Effect;
  /** How dangerous the call is with these arguments, and why, where the tool can tell. A high risk is asked about each time. */
  riskOf?(args: unknown): CallRisk;
  /**
   * What of the arguments leaves, or says where something goes or what is changed. All of them if this is missing; undefined if
   * nothing reaches anybody but a service that the operator chose.
   */
  outgoing?(args: unknown): unknown;
  /** Whether a call that changes something can also send something out. */
  alsoSends?(args: unknown, context: ToolContext): boolean;
  /** Why this call needs an approval whatever the rules allow. Undefined if it does not. */
  mustAsk?(args: unknown, context: ToolContext): string | Reason | undefined;
  /** What the approver is shown: the exact command, a diff. Throws `Failure` if the call cannot succeed. */
  preview(args: unknown, context: ToolContext): Promise<string | undefined>;
  /** Only `loop/call.ts` runs a tool, behind the guard. */
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
  /** False if the tool cannot work with these settings. It is then not offered. */
  available(settings: ToolSettings): boolean;
  /**
   * Undoes one change of its own and returns a sentence about it. Safe to repeat. Throws CONFLICT if something else has
   * changed the same thing since.
   */
  undo?(entry: UndoEntry, context: ToolContext): Promise<string>;
}

/** The facts that decide whether a tool is offered. */
export interface ToolSettings {
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox?: Sandbox;
}
