import { z } from "zod";
import type { CommandServices } from "./commands.ts";
import type { ChatEvent } from "./events.ts";
import type { UserFiles } from "./files.ts";
import type { Json, JsonSchema } from "./json.ts";
import type { ShownShare } from "./long-text.ts";
import type { AssistantPart, Message, ToolResultPart, Trust } from "./messages.ts";
import type { ReasoningEffort, Usage } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { NewArtifactVersion, StoredArtifact } from "./store.ts";

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

/** What a person answers: their words or the option they chose; several where several may be chosen. */
export type Answer = string | string[];

export interface QuestionOptions {
  /** Foreseeable answers. The person can always answer in their own words instead. */
  options?: readonly string[];
  /** Several options may be chosen. */
  multiple?: boolean;
  /** What is assumed if nobody answers. Shown to the person. */
  default?: string;
}

/** Asks the person and waits. Resolves with undefined if nobody answers, or nobody is there. */
export type AskPerson = (
  question: string,
  options?: readonly string[] | QuestionOptions,
) => Promise<Answer | undefined>;

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
  /** `host:port` of private addresses that a fetch may reach. */
  readonly fetchAllow?: readonly string[];
  /** Lets a child run work on a task. Missing outside of runs. */
  delegate?(task: DelegatedTask): Promise<ToolOutput>;
  /** The project's own instructions for a file below, which the model has not been given yet. Empty if there are none. */
  instructionsFor?(path: string): Promise<string>;
  now(): Date;
  /** Tells the person how far the call is. */
  progress(progress: ToolProgress): void;
  /** Shows the person something with an event of its own: an artifact, an image, sources. */
  show(event: ToolEvent): void;
  /** Asks the person who talks to the assistant. Missing where there is no run that could wait. */
  readonly ask?: AskPerson;
  /** False if nobody is there to answer. */
  readonly attended?: boolean;
  /** Pauses the time limit of the call while a person is asked. The layer that limits the time sets it. */
  readonly timeLimit?: { pause(): void; resume(): void };
  /** Records changes so that they can be undone. Without it, changes are made but not recorded. */
  readonly undo?: UndoJournal;
  /** What the person was shown when they approved this very call. A tool refuses to do anything else. */
  readonly approvedPreview?: string;
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

/** What one call has used of models, as far as their vendors report it. */
export interface Spending {
  usage: Usage;
  /** `provider/model` that was asked last. */
  model?: string;
  /** How often a request to a model was repeated, however the call ended. */
  retryCount?: number;
}

/** A result of an earlier call. Who reads it again must treat its text as before. */
export type EarlierResult = Pick<ToolResultPart, "toolName" | "trust" | "origin" | "effect" | "labels"> & {
  text: string;
};

/** The jobs that a tool may give to a model. The settings say which model does which. */
export type ModelRole = "artifact" | "rewrite" | "image" | "compact" | "title";

export interface ModelQuestion {
  role: ModelRole;
  system: string;
  /** The question, as text or as messages: exactly one of the two. */
  prompt?: string;
  messages?: Message[];
  /** The tool's own signal, which ends with the call. */
  signal: AbortSignal;
  onText?(delta: string): void;
  onReasoning?(delta: string): void;
  maxOutputTokens?: number;
  temperature?: number;
  reasoningEffort?: ReasoningEffort;
  /** Aspect ratio of the image, such as `16:9`. */
  aspectRatio?: string;
}

export interface ModelAnswer {
  text: string;
  /** The whole answer, including images. */
  parts: AssistantPart[];
  usage: Usage;
  /** `provider/model` that answered. */
  model: string;
  /** True if the answer was cut off at its length limit. */
  cut: boolean;
}

/** The artifacts of one person. */
export interface UserArtifacts {
  /** The newest version, or the given one. Throws NOT_FOUND or FORBIDDEN. */
  get(id: string, version?: number): Promise<StoredArtifact>;
  /** Stores the next version and returns it with the URL of its preview. */
  save(version: ArtifactDraft): Promise<{ artifact: StoredArtifact; previewUrl: string }>;
}

export type ArtifactDraft = Omit<NewArtifactVersion, "userId">;

/** How commands are confined on this machine, found by trying. */
export interface Sandbox {
  /** `none`: commands cannot be confined and are not offered. `bare`: the operator allows unconfined commands. */
  readonly tier: "bubblewrap" | "landlock" | "macos" | "bare" | "none";
  /** The program that confines them. */
  readonly program?: string;
  /** What is guaranteed, in one sentence. */
  readonly detail: string;
  /** How to get better confinement. Empty if there is nothing better. */
  readonly improve: string;
}

/** A change that a tool is about to make. */
export interface UndoEntry {
  /** One plain line for the person: `write notes.txt`. */
  summary: string;
  /** False if the change is only recorded and cannot be undone. */
  reversible: boolean;
  /** What the tool needs to undo it. Only the tool reads it. */
  data: Json;
}

/** The journal of one call's changes. */
export interface UndoJournal {
  /** Stores the previous content and returns the key to load it by. */
  keep(bytes: Uint8Array): Promise<string>;
  load(key: string): Promise<Uint8Array>;
  /** Stored when it resolves. Called before the change is made, so an entry may describe a change that never happened. */
  record(entry: UndoEntry): Promise<void>;
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
  /** Images for models that see them, and for the person. */
  images?: { mimeType: string; base64: string }[];
  trust?: Trust;
  /** Set if the untrusted text comes from the person's own folders. */
  origin?: "workspace";
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
  reason?: string;
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
  readonly trust: Trust;
  readonly parameters: JsonSchema;
  /** Other names of its parameters. Where this is set, snake_case is accepted too. */
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
  /** How much of a long output the model is shown. The rest can be read with `read_result`. */
  readonly shown?: ShownShare;
  /** The job that it gives to a model, if it does. */
  readonly modelRole?: ModelRole;
  /** How long a result may be reused for the same caller and arguments. Never set on tools that change something. */
  readonly cacheSeconds?: number;
  parse(args: unknown): Parsed;
  /** The outside service or host that this call goes to. Each has its own circuit breaker. */
  upstream?(args: unknown, context: ToolContext): Promise<string | undefined> | string | undefined;
  /** The effect with these arguments, for tools that both read and write. */
  effectOf(args: unknown): Effect;
  /** How dangerous the call is with these arguments, and why, where the tool can tell. A high risk is asked about each time. */
  riskOf?(args: unknown): CallRisk;
  /** Whether a call that changes something can also send something out. */
  alsoSends?(args: unknown, context: ToolContext): boolean;
  /** Why this call needs an approval whatever the rules allow. Undefined if it does not. */
  mustAsk?(args: unknown, context: ToolContext): string | undefined;
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

type Optional =
  | "aliases"
  | "spellings"
  | "trust"
  | "timeoutMs"
  | "limit"
  | "parallel"
  | "streaming"
  | "sessionOnly"
  | "shown"
  | "modelRole"
  | "available"
  | "cacheSeconds"
  | "undo";

/** What `defineTool` takes. The fields mean the same as in `Tool`, with parsed arguments. */
export interface ToolDefinition<Input extends z.ZodType>
  extends Pick<Tool, "name" | "description" | "retry">,
    Partial<Pick<Tool, Optional>> {
  effect: Effect | ((args: z.output<Input>) => Effect);
  input: Input;
  run(args: z.output<Input>, context: ToolContext): unknown;
  preview?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  upstream?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  mustAsk?(args: z.output<Input>, context: ToolContext): string | undefined;
  riskOf?(args: z.output<Input>): CallRisk;
  alsoSends?(args: z.output<Input>, context: ToolContext): boolean;
}

/** A tool whose arguments the compiler knows. */
export interface TypedTool<Args = unknown> extends Tool {
  /** Never set: it only carries the type. */
  readonly argumentTypes?: Args;
}

/** True for an event or a call of this tool with valid arguments. Their type is then known. */
export function isCallOf<Args, Value extends object>(
  tool: TypedTool<Args>,
  value: Value,
): value is Extract<Value, { toolName: string; arguments: unknown }> & { arguments: Args } {
  if (!("toolName" in value && "arguments" in value) || value.toolName !== tool.name) return false;
  return tool.parse(value.arguments).ok;
}

/** Declares a tool. Unknown keys in its arguments are refused, whatever the schema says. */
export function defineTool<Input extends z.ZodType>(
  definition: ToolDefinition<Input>,
): TypedTool<z.input<Input>> {
  const input = definition.input instanceof z.ZodObject ? definition.input.strict() : definition.input;
  const typed = (args: unknown) => args as z.output<Input>;
  const { effect, upstream, mustAsk, riskOf, alsoSends } = definition;
  return {
    name: definition.name,
    aliases: definition.aliases ?? [],
    description: definition.description,
    // Where the effect depends on the arguments, the catalogue shows the strongest one.
    effect: typeof effect === "function" ? "write" : effect,
    retry: definition.retry,
    trust: definition.trust ?? "trusted",
    parameters: z.toJSONSchema(input, { io: "input" }) as JsonSchema,
    spellings: definition.spellings ?? {},
    timeoutMs: definition.timeoutMs,
    limit: definition.limit,
    parallel: definition.parallel ?? true,
    streaming: definition.streaming ?? false,
    ...(definition.sessionOnly && { sessionOnly: true }),
    ...(definition.shown && { shown: definition.shown }),
    ...(definition.modelRole && { modelRole: definition.modelRole }),
    parse: (args) => parseWith(input, args),
    effectOf: (args) => (typeof effect === "function" ? effect(typed(args)) : effect),
    preview: async (args, context) => definition.preview?.(typed(args), context),
    run: async (args, context) => toOutput(await definition.run(typed(args), context)),
    available: (settings) => definition.available?.(settings) ?? true,
    ...(riskOf && { riskOf: (args: unknown) => riskOf(typed(args)) }),
    ...(alsoSends && { alsoSends: (args: unknown, context: ToolContext) => alsoSends(typed(args), context) }),
    ...(mustAsk && { mustAsk: (args: unknown, context: ToolContext) => mustAsk(typed(args), context) }),
    ...(upstream && { upstream: (args: unknown, context: ToolContext) => upstream(typed(args), context) }),
    ...(definition.cacheSeconds !== undefined && { cacheSeconds: definition.cacheSeconds }),
    ...(definition.undo && { undo: definition.undo }),
  };
}

/** Checks arguments against a schema; a wrong one is data, not an error. */
export function parseWith(schema: z.ZodType, args: unknown): Parsed {
  const parsed = schema.safeParse(args);
  if (parsed.success) return { ok: true, value: parsed.data };
  return {
    ok: false,
    issues: parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message })),
  };
}

/** A tool may answer a string, a `ToolOutput`, or any JSON value, which becomes its text. */
function toOutput(answer: unknown): ToolOutput {
  if (typeof answer === "string") return { output: answer };
  if (isToolOutput(answer)) return answer;
  return { output: answer === undefined ? "" : JSON.stringify(answer, null, 2), data: answer };
}

function isToolOutput(answer: unknown): answer is ToolOutput {
  return typeof answer === "object" && answer !== null && typeof (answer as ToolOutput).output === "string";
}
