import { z } from "zod";
import type { ChatEvent } from "./events.ts";
import type { UserFiles } from "./files.ts";
import type { Json, JsonSchema } from "./json.ts";
import type { AssistantPart, Message, Trust } from "./messages.ts";
import type { ReasoningEffort, Usage } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { NewArtifactVersion, StoredArtifact } from "./store.ts";

/** What a call does to the world; the policy reads it. */
export type Effect = "none" | "read" | "write" | "network";

/** What a crash may repeat: `pure` and `idempotent` calls run again, an `unsafe` one never silently. */
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
  /** The same for every attempt at one call: hand it to services that honour such keys. */
  readonly idempotencyKey: string;
  /** Aborts on cancel and on timeout; a tool that spawns or fetches must pass it on. */
  readonly signal: AbortSignal;
  /** Folders that this caller may touch; the first is where relative paths start. */
  readonly roots: readonly string[];
  /** `host:port` entries that a fetch may reach although their addresses are private. */
  readonly fetchAllow?: readonly string[];
  now(): Date;
  /** Shows the person what is going on. */
  progress(progress: ToolProgress): void;
  /** Shows the person something that has an event of its own: an artifact, an image, sources. */
  show(event: ToolEvent): void;
  /** Where changes are written down so that they can be taken back; without it they are simply made. */
  readonly undo?: UndoJournal;
  /** What commands are confined by; without it none may run. */
  readonly sandbox?: Sandbox;
  /** Our own data and settings: no command may see or make them, even where a root encloses them. */
  readonly protectedPaths?: readonly string[];
  /** What the models that the call asked have used so far, also those that failed. */
  readonly spending?: Spending;
  /** Asks another model for a piece of the tool's own work. Throws `Failure`. */
  askModel?(question: ModelQuestion): Promise<ModelAnswer>;
  /** Where this caller's artifacts are kept. */
  readonly artifacts?: UserArtifacts;
  /** Where this caller's files are kept. */
  readonly files?: UserFiles;
  /** A setting of the operator that is no secret, such as the address of a service. */
  setting?(name: string): string | undefined;
  /** The key that this caller stored for a service, else the operator's, by the name of its setting: `TAVILY_API_KEY`. */
  secret?(name: string): Promise<string | undefined>;
}

/** What one call has had models do, as far as their vendors have told. */
export interface Spending {
  usage: Usage;
  /** `provider/model` that was asked last. */
  model?: string;
}

/** What a tool may ask a model for; the settings say which model does what. */
export type ModelRole = "artifact" | "rewrite" | "image";

export interface ModelQuestion {
  role: ModelRole;
  system: string;
  /** What is asked, as a text or as whole messages: one of the two. */
  prompt?: string;
  messages?: Message[];
  /** The tool's own: it ends with the call. */
  signal: AbortSignal;
  onText?(delta: string): void;
  onReasoning?(delta: string): void;
  maxOutputTokens?: number;
  temperature?: number;
  reasoningEffort?: ReasoningEffort;
  /** Width to height of an image that is asked for: `16:9`. */
  aspectRatio?: string;
}

export interface ModelAnswer {
  text: string;
  /** The whole answer, images among it. */
  parts: AssistantPart[];
  usage: Usage;
  /** `provider/model` that answered. */
  model: string;
  /** How often it had to be asked again before it began to answer. */
  retryCount: number;
  /** True where the answer was cut off by its length. */
  cut: boolean;
}

/** The artifacts of one person. */
export interface UserArtifacts {
  /** The newest version, or the one that is named. Throws NOT_FOUND or FORBIDDEN. */
  get(id: string, version?: number): Promise<StoredArtifact>;
  /** Writes the next version down at once, so that it can be looked at; answers it with the address that shows it. */
  save(version: ArtifactDraft): Promise<{ artifact: StoredArtifact; previewUrl: string }>;
}

export type ArtifactDraft = Omit<NewArtifactVersion, "userId">;

/** How commands are confined on this machine, as a real attempt has shown. */
export interface Sandbox {
  /** `none`: commands cannot be confined and are not offered. `bare`: the operator lets them run unconfined. */
  readonly tier: "bubblewrap" | "landlock" | "macos" | "bare" | "none";
  /** The program that confines them. */
  readonly program?: string;
  /** What holds, in a sentence. */
  readonly detail: string;
  /** How to get better confinement; empty when there is nothing better. */
  readonly improve: string;
}

/** A change that a tool is about to make. */
export interface UndoEntry {
  /** One plain line for the person: `write notes.txt`. */
  summary: string;
  /** False: it is on record only, there is no way back. */
  reversible: boolean;
  /** What the tool needs to take it back; nobody else looks inside. */
  data: Json;
}

/** The journal of one call's changes. */
export interface UndoJournal {
  /** Keeps what was there before; answers the key that finds it again. */
  keep(bytes: Uint8Array): Promise<string>;
  load(key: string): Promise<Uint8Array>;
  /** Safely written when it resolves. Called before the change is made, so an entry may be of a change that never was. */
  record(entry: UndoEntry): Promise<void>;
}

/** Events that a tool may show; the loop adds the call's id. */
export type ToolEvent = Extract<
  ChatEvent,
  { type: "artifact_delta" | "artifact_complete" | "image_complete" | "web_search" | "reasoning_status" }
>;

/** What a tool answers: the text for the model, and whatever a program may want besides. */
export interface ToolOutput {
  output: string;
  data?: unknown;
  trust?: Trust;
  /** Untrusted text that comes from the person's own folders, not from elsewhere. */
  origin?: "workspace";
  cached?: boolean;
  retryCount?: number;
  /** What the call cost, but for the models that it asked. */
  costUsd?: number;
}

export interface ParameterIssue {
  path: string;
  message: string;
}

export type Parsed = { ok: true; value: unknown } | { ok: false; issues: ParameterIssue[] };

/** A tool as the registry keeps it: its parameter type is erased, `parse` stands guard before `run`. */
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
  readonly timeoutMs: number | undefined;
  /** The row of the limits table that counts its calls. */
  readonly limit: string | undefined;
  /** False: never at the same time as another call of the turn. */
  readonly parallel: boolean;
  /** How long the same arguments may get the same answer again, to the same caller; never where something changes. */
  readonly cacheSeconds?: number;
  parse(args: unknown): Parsed;
  /** Which outside service or host this very call goes to: it gets a circuit breaker of its own. */
  upstream?(args: unknown, context: ToolContext): Promise<string | undefined> | string | undefined;
  /** The effect of these very arguments, where one tool both reads and writes. */
  effectOf(args: unknown): Effect;
  /** Why a person has to be asked about every call, whatever the rules allow; undefined where nothing demands it. */
  mustAsk?(args: unknown, context: ToolContext): string | undefined;
  /** What an approver is shown: the exact command, a diff. */
  preview(args: unknown, context: ToolContext): Promise<string | undefined>;
  /** Only the loop's `call` runs a tool, behind the guard. */
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
  /** False where the settings leave it nothing to work on: it is then not offered. */
  available(settings: ToolSettings): boolean;
  /**
   * Takes back one change of its own and answers what it did in a sentence. Doing it twice does no harm. Throws
   * CONFLICT where something else has changed the same thing since.
   */
  undo?(entry: UndoEntry, context: ToolContext): Promise<string>;
}

/** The facts that decide whether a tool is offered. */
export interface ToolSettings {
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox?: Sandbox;
}

export interface ToolDefinition<Input extends z.ZodType> {
  name: string;
  aliases?: string[];
  description: string;
  effect: Effect | ((args: z.output<Input>) => Effect);
  retry: Retry;
  input: Input;
  run(args: z.output<Input>, context: ToolContext): unknown;
  trust?: Trust;
  timeoutMs?: number;
  limit?: string;
  parallel?: boolean;
  preview?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  available?(settings: ToolSettings): boolean;
  upstream?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  cacheSeconds?: number;
  undo?(entry: UndoEntry, context: ToolContext): Promise<string>;
  mustAsk?(args: z.output<Input>, context: ToolContext): string | undefined;
}

/** Declares a tool. Unknown keys in its arguments are refused, whatever the schema says. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const input = definition.input instanceof z.ZodObject ? definition.input.strict() : definition.input;
  const typed = (args: unknown) => args as z.output<Input>;
  const { effect, upstream, mustAsk } = definition;
  return {
    name: definition.name,
    aliases: definition.aliases ?? [],
    description: definition.description,
    // Where the effect depends on the arguments, the catalogue shows the strongest one.
    effect: typeof effect === "function" ? "write" : effect,
    retry: definition.retry,
    trust: definition.trust ?? "trusted",
    parameters: z.toJSONSchema(input, { io: "input" }) as JsonSchema,
    timeoutMs: definition.timeoutMs,
    limit: definition.limit,
    parallel: definition.parallel ?? true,
    parse: (args) => parseWith(input, args),
    effectOf: (args) => (typeof effect === "function" ? effect(typed(args)) : effect),
    preview: async (args, context) => definition.preview?.(typed(args), context),
    run: async (args, context) => toOutput(await definition.run(typed(args), context)),
    available: (settings) => definition.available?.(settings) ?? true,
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
