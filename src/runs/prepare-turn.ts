import { resultCharacters } from "../loop/estimate.ts";
import { partialAnswerOf } from "../loop/partial-answer.ts";
import type { Summarizer } from "../loop/summary.ts";
import type { ChildLimits, LoopLimits, Turn, TurnContext } from "../loop/turn.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelMemory, StoredContext } from "../protocol/context.ts";
import type { LoggedEvent } from "../protocol/events.ts";
import type { Files, UserFiles } from "../protocol/files.ts";
import type { Guard } from "../protocol/guard.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { Allowance, Budgets, RequestExtent } from "../protocol/limits.ts";
import { type Message, textOf } from "../protocol/messages.ts";
import type { Model, ToolSpec } from "../protocol/model.ts";
import type { PersonalModels } from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Run, StepRecord } from "../protocol/run-records.ts";
import type { ChildFacts, RunRequest } from "../protocol/run-request.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { Workspace } from "../protocol/workspace.ts";
import { awaitDecision, recallApprovals, rememberApproval, rememberedApprovals } from "./approvals.ts";
import { awaitTools } from "./await-tools.ts";
import { chooseTools, forRun } from "./choose-tools.ts";
import { earlierResult } from "./earlier-results.ts";
import { contextBefore, historyBefore } from "./history.ts";
import { hashOf } from "./ids.ts";
import type { Meaning } from "./meaning.ts";
import { withBytes } from "./native-requests.ts";
import { personalContext } from "./personal-tools.ts";
import { createRetryPauses } from "./retry-pauses.ts";
import type { PersonalRows } from "./session-project.ts";
import { instructionsGiven, warnOnce, withSkills } from "./session-workspace.ts";
import { promptOf, withNotes } from "./system-prompt.ts";
import { createTurnFiles, type FileReaders } from "./turn-files.ts";
import { undoJournal } from "./undo.ts";

/** The limits of one request as the settings give them: how far it may go depends on who asks. */
export type ServerLimits = Omit<LoopLimits, keyof RequestExtent> & Record<keyof RequestExtent, Allowance>;

/** The settings that runs depend on. */
export interface RunSettings {
  loop: ServerLimits;
  /** How long a run stays with a process that no longer renews its lease. */
  leaseMs: number;
  /** How deep child runs may be nested: 0 for none. */
  delegateDepth: number;
  fetchAllow: readonly string[];
}

/** What keeps requests within the models' windows. */
export interface ContextParts {
  /** Returns what was learnt about a model. `owner` is the person whose own key is used. */
  memoryOf(modelId: string, owner: string): ModelMemory;
  /** What the first layer finds in a text. */
  labels(text: string): Promise<string[]> | string[];
  /** Returns how summaries are written for a person who talks to a model. Undefined if they are switched off. */
  summarizer(principal: Principal, chatModel: string): Summarizer | undefined;
}

/** Everything that turns are made of. */
export interface TurnParts {
  settings: RunSettings;
  store: Store;
  files: Files;
  /** A person's files, as the tools of a session reach them. */
  userFiles(principal: Principal, sessionId?: string, run?: Run): UserFiles;
  fileReaders: FileReaders;
  models: ModelCatalogue;
  /** The models that are offered to somebody who starts a run. */
  modelsFor(principal: Principal): Promise<PersonalModels>;
  registry: Registry;
  guard: Guard;
  callContexts: CallContexts;
  /** Tells what texts mean. Missing where no embedding model is set. */
  meaning?: Meaning | undefined;
  /** What the folders tell the model. Missing where there is nothing to read. */
  workspace?: Workspace;
  budgets: Budgets;
  /** What keeps requests within the models' windows. Without it, nothing is left out. */
  contexts?: ContextParts;
  /** The vendor keys that a user has stored. They take precedence over the server's. */
  keysOf(userId: string): Promise<VendorKeys>;
  /** Throws FORBIDDEN for a suspended user. */
  admit(user: { id: string }): Promise<void>;
  log: { warn(facts: object, message: string): void };
}

/** Who answers a request, with which tools. */
export interface Admitted {
  model: Model;
  /** The keys that its person brings along. */
  keys: VendorKeys;
  chosen: ReturnType<typeof chooseTools>;
}

/** What the journal already holds of a run: the first event of a new one, everything of one that was taken over. */
export interface RecoveredJournal {
  events: LoggedEvent[];
  steps: StepRecord[];
  /** The person's message, if the run has just opened its session with it: then there is nothing else to read. */
  opening?: StoredMessage | undefined;
  /** The key of the step that was written with the opening, and when the opening is on disk. */
  firstStep?: string | undefined;
  durable?: Promise<void> | undefined;
  /** What was read and decided when the run was opened, a moment ago. */
  known?: (Admitted & { rows: PersonalRows | undefined; continues: boolean }) | undefined;
}

/** Gathers everything that the loop needs for a run. */
export async function prepareTurn(
  parts: TurnParts,
  run: Run,
  { request, principal: asker, model: modelId, requestId, limits, child, ...told }: RunRequest,
  log: RunLog,
  recovered: RecoveredJournal,
  signal: AbortSignal,
  inputs: Turn["inputs"],
  children?: Turn["children"],
): Promise<Turn> {
  const { settings, store, guard, budgets, workspace } = parts;
  // A guest who has signed in since then has taken the run along.
  const principal: Principal = { ...asker, id: run.userId };
  // The owner of the machine cannot be suspended.
  if (principal.kind !== "owner") await parts.admit(principal);
  const registry = parts.registry.for(principal);
  const { known, opening } = recovered;
  const [keys, { text, personal, system }, isLimited] = await readOf(parts, principal, request, told, known);
  const waiting = callsOf(log.state()).filter(({ status }) => status === "waiting");
  const check = () => {
    parts.models.resolve(modelId, keys);
    chooseTools(registry, request);
  };
  if (waiting.length > 0) await awaitTools(registry, waiting, check, signal);
  // A model that was asked for by name, and shut down, is replaced with a warning.
  const model = known?.model ?? parts.models.resolve(request.model ?? modelId, keys);
  const isFirst = opening !== undefined && !ownsHistory(request);
  const context = isFirst ? undefined : await contextBefore(store, run, request);
  const history = isFirst ? [opening] : await historyBefore(store, run, request, context?.view.summary?.from);
  // What the person approves for good in a child run holds for the session that they see, and no further.
  const approver = child ? { ...run, sessionId: child.root.sessionId } : run;
  const remembered = isFirst && !child ? new Set<string>() : await rememberedApprovals(store, approver);
  const userFiles = once(() => parts.userFiles(principal, run.sessionId, run));
  const turnFiles = once(() => filesOf(parts, run, principal, model, userFiles(), signal));
  const all = known?.chosen ?? chooseTools(registry, request);
  const offered = forRun(all, personal, child?.depth ?? 0, settings.delegateDepth);
  const chosen = text ? withSkills(offered, workspace, text) : offered;
  if (told.workspace?.warnings.length) warnOnce(log, told.workspace.warnings);
  if (request.warnings) warnOnce(log, request.warnings, "TOOL_LEFT_OUT");
  const managed =
    ownsHistory(request) || !parts.contexts
      ? undefined
      : { context: contextOf(parts.contexts, principal, model, keys, context, history) };
  let given: Set<string> | undefined;
  const pauses = once(() => createRetryPauses(store, run.id, recovered.events));
  const nested = async (path: string) => {
    given ??= instructionsGiven(history, log.state());
    return workspace?.nestedInstructions(path, given) ?? "";
  };
  return {
    model,
    log,
    guard,
    system,
    history:
      request.systemPrompt === undefined
        ? withNotes(
            history,
            run.createdAt,
            request,
            text?.skills.map(({ name }) => name),
            context?.view.summary,
            chosen.tools,
          )
        : history,
    ...chosen,
    prefixOf: prefixesOf(system, chosen),
    ...managed,
    messageLabels: await guard.labels(newestWords(history)),
    ...(await answerSettings(request, parts.files.readTemporary)),
    cacheKey: run.sessionId,
    limits: narrowed(limitsFor(principal, settings.loop, request, limits), child?.limits),
    ...(children && (child?.depth ?? 0) < settings.delegateDepth ? { children } : {}),
    inherited: child?.situation,
    told: personal?.outside,
    ...(isLimited ? { money: moneyOf(store, budgets, run.id, principal) } : {}),
    requestId,
    caller: principal.id,
    signal,
    inputs,
    ...withPartialAnswer(recovered),
    attended: request.attended ?? true,
    contextFor: (call) => ({
      ...parts.callContexts.contextFor(principal, modelId),
      sessionId: run.sessionId,
      runId: run.id,
      files: userFiles(),
      // What a child run changes is undone with the run that started it.
      undo: undoJournal(store, child ? { ...run, ...child.root } : run, call.id, call.name),
      readResult: (id) => earlierResult(store, run, id),
      ...personalContext(parts, principal, run, personal, signal),
      ...(text && workspace ? { instructionsFor: (path: string) => nested(path) } : {}),
      ...(managed ? { resultCharacters: resultCharacters(windowOf(managed.context, model)) } : {}),
    }),
    remembered,
    remember: (what) => rememberApproval(store, approver, remembered, what),
    recall: () => recallApprovals(store, approver, remembered),
    awaitDecision: async (call, deadline, until) => {
      const decided = await awaitDecision(store, { runId: run.id, ...call }, deadline, until);
      // Other people cannot decide on a person's runs.
      return decided && { ...decided, by: run.userId };
    },
    hash: hashOf,
    withImages: (messages) => turnFiles().withFiles(messages),
    keepImage: (image) => turnFiles().keepImage(image),
    keepResult: (id, whole) =>
      store.keepResult(run.id, id, whole).catch((thrown: unknown) => {
        parts.log.warn({ err: thrown, runId: run.id }, "could not keep a long result");
        return false;
      }),
    now: steadyClock(),
    random: () => Math.random(),
    sleep: (ms, until) => pauses()(ms, until),
  };
}

/** Reads what belongs to the person and the prompt at the same time: a database over the network takes its time for each. */
function readOf(
  parts: TurnParts,
  principal: Principal,
  request: TurnRequest,
  told: Parameters<typeof promptOf>[3],
  known: RecoveredJournal["known"],
) {
  return Promise.all([
    known?.keys ?? parts.keysOf(principal.id),
    promptOf(parts, principal, request, told, known?.rows),
    parts.budgets.limited(principal),
  ]);
}

/** Returns a function that makes something when it is first needed, because most turns do not need it. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function filesOf(
  { settings, fileReaders, files, log }: TurnParts,
  run: Run,
  principal: Principal,
  model: Model,
  userFiles: UserFiles,
  signal: AbortSignal,
) {
  return createTurnFiles({
    userFiles,
    readers: fileReaders,
    readTemporary: files.readTemporary,
    model: model.info,
    isGuest: principal.kind === "guest",
    maxBytes: files.maxBytes,
    fetchAllow: settings.fetchAllow,
    signal,
    onProblem: (thrown) => log.warn({ err: thrown, runId: run.id }, "could not use a file in a run"),
  });
}

/** Returns a clock that is right now and never jumps. */
function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => Math.round(offset + performance.now());
}

/** The server's limits for this role, replaced by the program's own and tightened by the request's. */
function limitsFor(
  { kind }: Principal,
  server: ServerLimits,
  request: TurnRequest,
  own: Partial<RequestExtent> = {},
): LoopLimits {
  const role = kind === "guest" ? "guest" : "account";
  const maxToolCalls = own.maxToolCalls ?? server.maxToolCalls[role];
  return {
    ...server,
    approvalMs: Math.min(server.approvalMs, request.approvalMs ?? Number.POSITIVE_INFINITY),
    maxIterations: own.maxIterations ?? server.maxIterations[role],
    maxToolCalls: Math.min(maxToolCalls, request.maxToolCalls ?? Number.POSITIVE_INFINITY),
  };
}

/** Returns the limits of a child run: those of its parent, as far as they are left. */
function narrowed(limits: LoopLimits, left: ChildFacts["limits"] | undefined): LoopLimits {
  const most = (name: keyof ChildLimits) => Math.min(limits[name], left?.[name] ?? Number.POSITIVE_INFINITY);
  return {
    ...limits,
    maxTokens: most("maxTokens"),
    maxCostUsd: most("maxCostUsd"),
    maxToolCalls: most("maxToolCalls"),
    maxIterations: most("maxIterations"),
    maxRunMs: most("maxRunMs"),
    approvalMs: most("approvalMs"),
  };
}

/** What the run's person and API key may spend, including their other active runs. */
function moneyOf(store: Store, budgets: Budgets, runId: string, principal: Principal): Turn["money"] {
  return {
    note: (usd) => store.recordSpending(runId, usd),
    usedUp: async () => (await budgets.usedUp(principal))?.sentence,
  };
}

/** True for clients of other protocols and those that send the whole history. They decide themselves what to leave out. */
function ownsHistory({ history, messages, systemPrompt, instructions }: TurnRequest): boolean {
  return [history, messages, systemPrompt, instructions].some((given) => given !== undefined);
}

function contextOf(
  contexts: ContextParts,
  principal: Principal,
  model: Model,
  keys: VendorKeys,
  stored: StoredContext | undefined,
  history: readonly Message[],
): TurnContext {
  const summarizer = contexts.summarizer(principal, model.id);
  const last = history.findLast(({ role }) => role === "assistant");
  return {
    view: stored?.view ?? {},
    memory: contexts.memoryOf(
      model.id,
      Object.hasOwn(keys, model.id.split("/")[0] ?? "") ? principal.id : "",
    ),
    changed: stored?.askedAfter !== undefined && stored.askedAfter === last?.id,
    summarizer,
  };
}

function windowOf({ memory }: TurnContext, { info }: Model): number {
  return memory.window(info.contextWindow);
}

/** Returns a function that identifies what a request begins with. */
function prefixesOf(
  system: string,
  { tools, clientTools }: Pick<Turn, "tools" | "clientTools">,
): NonNullable<Turn["prefixOf"]> {
  const known = new Map<string, string>();
  return ([first]) => {
    const text = first ? textOf(first) : "";
    const prefix = known.get(text) ?? hashOf([system, [...tools, ...clientTools].map(hashOfTool), text]);
    known.set(text, prefix);
    return prefix;
  };
}

const toolHashes = new WeakMap<ToolSpec, string>();

/** Tools never change, so each is hashed once. */
function hashOfTool(tool: ToolSpec): string {
  const { name, description, parameters } = tool;
  const hash = toolHashes.get(tool) ?? hashOf([name, description, parameters]);
  toolHashes.set(tool, hash);
  return hash;
}

function newestWords(history: readonly Message[]): string {
  const newest = history.findLast(({ role }) => role === "user");
  return newest ? textOf(newest) : "";
}

function withPartialAnswer({ events, steps }: RecoveredJournal): Pick<Turn, "partialAnswer"> {
  const partialAnswer = steps.length > 0 ? partialAnswerOf(events, steps) : undefined;
  return partialAnswer ? { partialAnswer } : {};
}

/** How the model should answer, as far as the request says so. */
async function answerSettings(
  { reasoningEffort, verbosity, settings: asked, parameters, defaults }: TurnRequest,
  readTemporary: Files["readTemporary"],
) {
  const { effort, verbosity: length, ...sampling } = { ...defaults, ...parameters };
  const settings = asked || Object.keys(sampling).length > 0 ? { ...sampling, ...asked } : undefined;
  const native = settings?.native && (await withBytes(settings.native, readTemporary));
  return {
    ...(reasoningEffort || effort ? { reasoningEffort: reasoningEffort ?? effort } : {}),
    ...(verbosity || length ? { verbosity: verbosity ?? length } : {}),
    ...(settings ? { settings: { ...settings, native } } : {}),
  };
}
