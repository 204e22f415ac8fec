import { chatModelAsker } from "../loop/ask-chat-model.ts";
import { type AskChatModel, compact } from "../loop/compact.ts";
import { newestCovered, placeToCut, project } from "../loop/context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { Compaction, ContextChange, ContextView } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import type { Budgets } from "../protocol/limits.ts";
import type { Message } from "../protocol/messages.ts";
import type { Model, Usage } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Session } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import { branchHistory } from "./history.ts";
import { newId } from "./ids.ts";
import type { Runner } from "./runner.ts";
import type { ContextParts } from "./turn-parts.ts";

/** Keeps how a run has shortened its session. May be repeated. */
export function saveContextOf(store: Store, { id, sessionId }: Run, change: ContextChange): Promise<void> {
  return store.saveContext({ ...change, id: `context_${id}`, sessionId });
}

export interface CompactParts {
  store: Store;
  models: ModelCatalogue;
  contexts: ContextParts;
  budgets: Budgets;
  runner: Pick<Runner, "turnOf">;
  keysOf(userId: string): Promise<VendorKeys>;
}

/** The newest turn stays word for word, unless it takes more than this share of the window. */
const KEPT_SHARE = 0.5;
const COMPACT_MS = 180_000;

/** Summarizes everything but the newest turn of the shown branch, for the model only. Throws `Failure`. */
export async function compactSession(
  parts: CompactParts,
  principal: Principal,
  session: Session,
  focus?: string,
): Promise<Compaction> {
  const { store, models, contexts, keysOf } = parts;
  if (session.activeRunId !== undefined)
    throw new Failure(
      "CONFLICT",
      "An answer is still being written in this session. Stop it, or wait until it ends.",
    );
  const stored = await store.getContext(session.id);
  const view = stored?.view ?? {};
  const history = await branchHistory(store, session.id, view.summary?.from);
  const model = modelOf(models, history, await keysOf(principal.id));
  const memory = contexts.memoryOf(model.id, "");
  const window = memory.window(model.info.contextWindow);
  const size = (shown: ContextView) => project(history, shown, window).tokens * memory.factor();
  const isAgain = stored?.askedAfter !== undefined && stored.askedAfter === session.headId;
  const tokensBefore = isAgain ? stored.compaction.tokensAfter : Math.round(filledBy(history) ?? size(view));
  const room = Math.min(window * KEPT_SHARE, newestTurn(history, view, window));
  const cut = placeToCut(history, view, window, room);
  if (!cut) return { messages: 0, tokensBefore, tokensAfter: tokensBefore, reason: "asked" };
  await refuseWithoutMoney(parts, principal);
  const summarizer = contexts.summarizer(principal, model.id);
  const signal = AbortSignal.timeout(COMPACT_MS);
  const fill = { view, tokens: tokensBefore, window };
  const made = await compact({
    history,
    cut,
    earlier: view.summary,
    window,
    focus,
    signal,
    labels: contexts.labels,
    ...(summarizer
      ? {
          summarize: summarizer.ask,
          askChatModel: await afterLastAnswer(parts, model, history, fill, signal),
        }
      : {}),
  });
  const id = newId("ctx");
  const cost = made.usage && (await book(store, principal, id, made.model ?? model.id, made.usage));
  if (made.failure) throw made.failure;
  const after = { ...view, summary: made.summary };
  const compaction: Compaction = {
    messages: made.replaced,
    tokensBefore,
    tokensAfter: Math.max(0, Math.round(tokensBefore - size(view) + size(after))),
    reason: "asked",
    ...(cost ? { cost } : {}),
  };
  await store.saveContext({
    id,
    sessionId: session.id,
    messageId: newestCovered(history, after),
    view: after,
    compaction,
    askedAfter: session.headId,
  });
  return compaction;
}

async function refuseWithoutMoney({ budgets }: CompactParts, principal: Principal): Promise<void> {
  const used = (await budgets.limited(principal)) ? await budgets.usedUp(principal) : undefined;
  if (!used) return;
  const { sentence, retryAfter } = used;
  throw new Failure(
    "RATE_LIMITED",
    sentence,
    retryAfter === undefined ? { retryable: false } : { retryAfter },
  );
}

/** Returns how to ask the model after everything that it was sent last, as far as that run can be repeated. */
async function afterLastAnswer(
  { store, runner }: CompactParts,
  model: Model,
  history: readonly (Message & { runId?: string })[],
  { view, tokens, window }: { view: ContextView; tokens: number; window: number },
  signal: AbortSignal,
): Promise<AskChatModel | undefined> {
  const answer = history.at(-1);
  const run = answer?.role === "assistant" && answer.runId ? await store.getRun(answer.runId) : undefined;
  if (!answer || !run) return undefined;
  try {
    const turn = await runner.turnOf(run, signal);
    if (turn.model.id !== model.id) return undefined;
    const { messages } = project([...turn.history, answer], view, window);
    return chatModelAsker(turn, messages, { tokens, window });
  } catch (thrown) {
    // Its tools or its model may be gone. Then the conversation is told as a text.
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
}

/** Books what the summary took, like any other request beside a run. Returns it as it is stored. */
async function book(
  store: Store,
  principal: Principal,
  id: string,
  model: string,
  usage: Usage,
): Promise<Compaction["cost"]> {
  const { inputTokens, outputTokens, cachedTokens, costUsd } = usage;
  if (inputTokens + outputTokens === 0) return undefined;
  const keyId = principal.key ? { keyId: principal.key.id } : {};
  await store.recordUsage({ id, userId: principal.id, tool: "compact", model, usage, ...keyId });
  return {
    model,
    inputTokens,
    outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** The model that answered last, or the default one if that is gone. */
function modelOf(models: ModelCatalogue, history: readonly Message[], keys: VendorKeys): Model {
  const last = history.findLast(({ model }) => model !== undefined)?.model;
  try {
    return models.resolve(last, keys);
  } catch (thrown) {
    if (last === undefined || !(thrown instanceof Failure)) throw thrown;
    return models.resolve(undefined, keys);
  }
}

/** How many tokens the vendor counted after the last answer. */
function filledBy(history: readonly (Message & { usage?: Usage })[]): number | undefined {
  return history.findLast(({ role }) => role === "assistant")?.usage?.contextTokens;
}

function newestTurn(history: readonly Message[], view: ContextView, window: number): number {
  const asked = history.findLastIndex(({ role }) => role === "user");
  return project(history.slice(Math.max(0, asked)), { ...view, summary: undefined }, window).tokens;
}
