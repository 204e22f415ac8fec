import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../app/config.ts";
import { createUserFiles } from "../files/user-files.ts";
import { fitHistory } from "../loop/fit-history.ts";
import type { Turn } from "../loop/turn.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { LoggedEvent } from "../protocol/events.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Guard } from "../protocol/guard.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { Budgets } from "../protocol/limits.ts";
import { type Message, textOf } from "../protocol/messages.ts";
import type { ToolChoice, ToolSpec } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Run, StepRecord, Store } from "../protocol/store.ts";
import type { Tool } from "../protocol/tool.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { awaitDecision } from "./approvals.ts";
import { historyBefore } from "./history.ts";
import { hashOf } from "./ids.ts";
import { systemPrompt } from "./system-prompt.ts";
import { createTurnFiles } from "./turn-files.ts";
import { undoJournal } from "./undo.ts";

export interface TurnParts {
  config: Config;
  store: Store;
  files: Files;
  models: ModelCatalogue;
  registry: Registry;
  guard: Guard;
  callContexts: CallContexts;
  budgets: Budgets;
  /** Keys of vendors that a user stored: they are used before the server's. */
  keysOf(userId: string): Promise<VendorKeys>;
  /** Throws FORBIDDEN for a user who is shut out: also one whose run was just about to begin. */
  admit(user: { id: string }): Promise<void>;
  log: { warn(facts: object, message: string): void };
}

/** What is written down with a run, so that any process can go on with it. */
export interface RunRequest {
  request: TurnRequest;
  principal: Principal;
  model: string;
  requestId: string;
  /** The trace that the request was part of. */
  traceparent?: string;
}

/** What the journal holds of a run already: of a new one its first event, of one taken over all that was done. */
export interface Remains {
  events: LoggedEvent[];
  steps: StepRecord[];
}

/** Gathers all that the loop needs for a run. */
export async function prepareTurn(
  {
    config,
    models,
    registry,
    store,
    files,
    guard,
    callContexts,
    budgets,
    keysOf,
    admit,
    log: notes,
  }: TurnParts,
  run: Run,
  log: RunLog,
  remains: Remains,
  signal: AbortSignal,
): Promise<Turn> {
  const { request, principal: asker, model: modelId, requestId } = run.request as unknown as RunRequest;
  // A guest who signed in meanwhile has taken the run along.
  const principal: Principal = { ...asker, id: run.userId };
  await admit(principal);
  const model = models.resolve(modelId, await keysOf(run.userId));
  const { tools, clientTools, toolChoice } = chooseTools(registry, request);
  const history = await historyBefore(store, run, request);
  const remembered = await rememberedApprovals(store, run);
  const userFiles = createUserFiles({ files, store }, principal, run.sessionId, run);
  const turnFiles = createTurnFiles({
    userFiles,
    readTemporary: files.readTemporary,
    model: model.info,
    maxBytes: files.maxBytes,
    fetchAllow: config.fetchAllow,
    signal,
    onProblem: (thrown) => notes.warn({ err: thrown, runId: run.id }, "a file could not be used in a run"),
  });
  return {
    model,
    log,
    guard,
    system: request.systemPrompt ?? ownWords(request, config.roots),
    // Whoever sends a whole history decides what is left out of it.
    history: request.history ? history : fitHistory(history, model.info.contextWindow),
    tools,
    clientTools,
    messageLabels: guard.labels(newestWords(history)),
    toolChoice,
    ...(request.reasoningEffort ? { reasoningEffort: request.reasoningEffort } : {}),
    ...(request.verbosity ? { verbosity: request.verbosity } : {}),
    ...(request.settings ? { settings: request.settings } : {}),
    cacheKey: run.sessionId,
    limits: {
      ...config.loop,
      approvalMs: Math.min(config.loop.approvalMs, request.approvalMs ?? Number.POSITIVE_INFINITY),
      maxToolCalls: Math.min(config.loop.maxToolCalls, request.maxToolCalls ?? Number.POSITIVE_INFINITY),
    },
    ...((await budgets.limited(principal)) ? { money: moneyOf(store, budgets, run.id, principal) } : {}),
    requestId,
    signal,
    interrupted: wasInterrupted(remains),
    contextFor: (call) => ({
      ...callContexts.contextFor(principal, modelId),
      sessionId: run.sessionId,
      runId: run.id,
      files: userFiles,
      undo: undoJournal(store, run.sessionId, call.id, call.name),
    }),
    remembered,
    remember: (what) => remember(store, run, remembered, what),
    awaitDecision: async (toolCallId, deadline, until) => {
      const asked = callsOf(log.state()).find((one) => one.toolCallId === toolCallId);
      const argumentsHash = hashOf(asked?.arguments);
      return awaitDecision(store, { runId: run.id, toolCallId, argumentsHash }, deadline, until);
    },
    withImages: turnFiles.withFiles,
    keepImage: turnFiles.keepImage,
    now: () => Date.now(),
    random: () => Math.random(),
    sleep: (ms, until) => pause(ms, undefined, { signal: until }).catch(() => undefined),
  };
}

/** What the run's person and API key may spend, other runs of theirs that are going on included. */
function moneyOf(store: Store, budgets: Budgets, runId: string, principal: Principal): Turn["money"] {
  return {
    note: (usd) => store.recordSpending(runId, usd),
    usedUp: async () => (await budgets.usedUp(principal))?.sentence,
  };
}

/** Our own words, with the client's behind them. */
function ownWords({ modeHint, instructions }: TurnRequest, roots: readonly string[]): string {
  const words = systemPrompt(new Date(), roots, modeHint);
  return instructions ? `${words}\n\n${instructions}` : words;
}

/** What the person said last. */
function newestWords(history: readonly Message[]): string {
  const newest = history.findLast(({ role }) => role === "user");
  return newest ? textOf(newest) : "";
}

/** The tools of a request and how they are to be used. Throws INVALID_INPUT where it names one that is not there. */
export function chooseTools(
  registry: Registry,
  request: TurnRequest,
): { tools: Tool[]; clientTools: ToolSpec[]; toolChoice: ToolChoice } {
  const tools = request.tools ? registry.expand(request.tools) : registry.list();
  const clientTools = request.clientTools ?? [];
  const choice = request.toolChoice ?? "auto";
  if (choice === "auto" || choice === "none" || choice === "required")
    return { tools, clientTools, toolChoice: choice };
  const tool =
    tools.find(({ name, aliases }) => name === choice || aliases.includes(choice)) ??
    clientTools.find(({ name }) => name === choice);
  if (tool) return { tools, clientTools, toolChoice: { tool: tool.name } };
  const names = [...tools, ...clientTools].map(({ name }) => name).join(", ") || "none";
  throw new Failure(
    "INVALID_INPUT",
    `toolChoice: there is no tool "${choice.slice(0, 100)}" in this request. There is: ${names}.`,
  );
}

/** True where the model had begun to say something when its process died: it cannot be asked again unseen. */
function wasInterrupted(remains: Remains): boolean {
  const open = remains.steps.find(({ key, state }) => key.startsWith("model:") && state === "started");
  if (!open) return false;
  return remains.events.some(
    ({ seq, event }) =>
      seq > open.startedSeq && (event.type === "content_delta" || event.type === "reasoning_delta"),
  );
}

function rememberedKey(run: Run): string {
  return `always:${run.sessionId}`;
}

async function rememberedApprovals(store: Store, run: Run): Promise<Set<string>> {
  const names = (await store.getSettings(run.userId))[rememberedKey(run)];
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
}

async function remember(store: Store, run: Run, remembered: Set<string>, what: string): Promise<void> {
  remembered.add(what);
  await store.putSetting(run.userId, rememberedKey(run), [...remembered]);
}
