import { resultCharacters } from "../loop/estimate.ts";
import { partialAnswerOf } from "../loop/partial-answer.ts";
import type { ChildLimits, LoopLimits, Turn, TurnContext } from "../loop/turn.ts";
import type { VendorKeys } from "../protocol/catalogue.ts";
import type { StoredContext } from "../protocol/context.ts";
import type { Files, UserFiles } from "../protocol/files.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { Budgets, RequestExtent } from "../protocol/limits.ts";
import { type Message, textOf } from "../protocol/messages.ts";
import type { Model, ToolSpec } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { Run } from "../protocol/run-records.ts";
import type { ChildFacts } from "../protocol/run-request.ts";
import type { Store } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { Workspace } from "../protocol/workspace.ts";
import { awaitDecision, recallApprovals, rememberApproval, rememberedApprovals } from "./approvals.ts";
import { awaitTools } from "./await-tools.ts";
import { chooseTools, forRun, withSkills } from "./choose-tools.ts";
import { earlierResult } from "./earlier-results.ts";
import { contextBefore, historyBefore } from "./history.ts";
import { hashOf } from "./ids.ts";
import { withBytes } from "./native-requests.ts";
import { personalContext } from "./personal-tools.ts";
import { createRetryPauses } from "./retry-pauses.ts";
import { instructionsGiven, warnOnce } from "./session-instructions.ts";
import { promptOf, withNotes } from "./system-prompt.ts";
import { createTurnFiles } from "./turn-files.ts";
import type { ContextParts, OwnedRun, RecoveredJournal, ServerLimits, TurnParts } from "./turn-parts.ts";
import { undoJournal } from "./undo.ts";

/** Gathers everything that the loop needs for a run. */
export async function prepareTurn(
  parts: TurnParts,
  owned: OwnedRun,
  { signal, inputs, children }: Pick<Turn, "signal" | "inputs" | "children">,
): Promise<Turn> {
  const { settings, store, guard, budgets, workspace } = parts;
  const { run, log, recovered } = owned;
  const { request, principal: asker, model: modelId, requestId, limits, child, ...told } = owned.request;
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
  const stored = isFirst ? [opening] : await historyBefore(store, run, request, context?.view.summary?.from);
  const userFiles = once(() => parts.userFiles(principal, run.sessionId, run));
  const turnFiles = once(() => filesOf(parts, run, principal, model, userFiles(), signal));
  const pauses = once(() => createRetryPauses(store, run.id, recovered.events));
  const all = known?.chosen ?? chooseTools(registry, request);
  const offered = forRun(all, personal, child?.depth ?? 0, settings.delegateDepth);
  const chosen = text ? withSkills(offered, workspace, text) : offered;
  if (told.workspace?.warnings.length) warnOnce(log, told.workspace.warnings);
  if (request.warnings) warnOnce(log, request.warnings, "TOOL_LEFT_OUT");
  const managed =
    ownsHistory(request) || !parts.contexts
      ? undefined
      : { context: contextOf(parts.contexts, principal, model, keys, context, stored) };
  const skills = text?.skills.map(({ name }) => name);
  const history =
    request.systemPrompt === undefined
      ? withNotes(stored, run.createdAt, request, skills, context?.view.summary, chosen.tools)
      : stored;
  const instructionsFor = text && workspace ? nestedInstructions(workspace, stored, log) : undefined;
  return {
    model,
    log,
    guard,
    system,
    history,
    ...chosen,
    prefixOf: prefixesOf(system, chosen),
    ...managed,
    messageLabels: await guard.labels(newestWords(stored)),
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
      ...(instructionsFor && { instructionsFor }),
      ...(managed ? { resultCharacters: resultCharacters(windowOf(managed.context, model)) } : {}),
    }),
    ...(await decisionsFor(store, run, child, isFirst)),
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

/** How the person's decisions reach a turn. In the first run of a session, none were remembered before. */
async function decisionsFor(
  store: Store,
  run: Run,
  child: ChildFacts | undefined,
  isFirst: boolean,
): Promise<Pick<Turn, "remembered" | "remember" | "recall" | "awaitDecision">> {
  // What the person approves for good in a child run holds for the session that they see, and no further.
  const approver = child ? { ...run, sessionId: child.root.sessionId } : run;
  const remembered = isFirst && !child ? new Set<string>() : await rememberedApprovals(store, approver);
  return {
    remembered,
    remember: (what) => rememberApproval(store, approver, remembered, what),
    recall: () => recallApprovals(store, approver, remembered),
    awaitDecision: async (call, deadline, until) => {
      const decided = await awaitDecision(store, { runId: run.id, ...call }, deadline, until);
      // Other people cannot decide on a person's runs.
      return decided && { ...decided, by: run.userId };
    },
  };
}

/** Returns the instructions of the folders above a path. Each file is given once in a run. */
function nestedInstructions(
  workspace: Workspace,
  history: readonly Message[],
  log: RunLog,
): (path: string) => Promise<string> {
  const given = once(() => instructionsGiven(history, log.state()));
  return async (path) => workspace.nestedInstructions(path, given());
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
