import { compact } from "../loop/compact.ts";
import { newestCovered, placeToCut, project } from "../loop/context.ts";
import type { ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { Compaction, ContextChange, ContextView } from "../protocol/context.ts";
import { Failure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import type { Model, Usage } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Session } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";
import { branchHistory } from "./history.ts";
import { newId } from "./ids.ts";
import type { ContextParts } from "./prepare-turn.ts";

/** Keeps how a run has shortened its session. May be repeated. */
export function saveContextOf(store: Store, { id, sessionId }: Run, change: ContextChange): Promise<void> {
  return store.saveContext({ ...change, id: `context_${id}`, sessionId });
}

export interface CompactParts {
  store: Store;
  models: ModelCatalogue;
  contexts: ContextParts;
  keysOf(userId: string): Promise<VendorKeys>;
}

/** The newest turn stays word for word, unless it takes more than this share of the window. */
const KEPT_SHARE = 0.5;
const COMPACT_MS = 180_000;

/** Summarizes everything but the newest turn of the shown branch, for the model only. Throws `Failure`. */
export async function compactSession(
  { store, models, contexts, keysOf }: CompactParts,
  principal: Principal,
  session: Session,
  focus?: string,
): Promise<Compaction> {
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
  const tokensBefore = Math.round(filledBy(history) ?? size(view));
  const room = Math.min(window * KEPT_SHARE, newestTurn(history, view, window));
  const cut = placeToCut(history, view, window, room);
  if (!cut) return { messages: 0, tokensBefore, tokensAfter: tokensBefore, reason: "asked" };
  const summarize = contexts.summarizer(principal, model.id);
  const made = await compact({
    history,
    cut,
    earlier: view.summary,
    window,
    focus,
    signal: AbortSignal.timeout(COMPACT_MS),
    labels: contexts.labels,
    ...(summarize ? { summarize } : {}),
  });
  if (made.failure) throw made.failure;
  const after = { ...view, summary: made.summary };
  const compaction: Compaction = {
    messages: made.replaced,
    tokensBefore,
    tokensAfter: Math.max(0, Math.round(tokensBefore - size(view) + size(after))),
    reason: "asked",
  };
  await store.saveContext({
    id: newId("ctx"),
    sessionId: session.id,
    messageId: newestCovered(history, after),
    view: after,
    compaction,
    ...(session.headId === undefined ? {} : { askedAfter: session.headId }),
  });
  return compaction;
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
