import { readEvents } from "./approvals.ts";
import type { ModelCatalogue, VendorKeys } from "./models.ts";
import type { RunRequest } from "./prepare-turn.ts";
import type { Principal } from "./protocol/principal.ts";
import type { Run, Store } from "./protocol/store.ts";
import type { RecalledTurn, TurnRequest, Turns } from "./protocol/turns.ts";
import type { Registry } from "./registry.ts";
import { ownSession, type Runner } from "./runner.ts";
import { TOOL_RULES } from "./system-prompt.ts";
import { historyBefore } from "./turn-history.ts";

export interface TurnsParts {
  store: Store;
  runner: Runner;
  registry: Registry;
  models: ModelCatalogue;
  keysOf(userId: string): Promise<VendorKeys>;
}

/** The turns of one person in this process; nobody else's can be seen through it. */
export function createTurns(parts: TurnsParts, principal: Principal): Turns {
  const { store, runner, registry, models, keysOf } = parts;

  async function ownRun(runId: string): Promise<Run | undefined> {
    const run = await store.getRun(runId);
    return run?.userId === principal.id ? run : undefined;
  }

  async function recall(runId: string): Promise<RecalledTurn | undefined> {
    const run = await ownRun(runId);
    if (!run || (await isForgotten(runId))) return undefined;
    const { id, sessionId, status, createdAt } = run;
    const { request, model } = run.request as unknown as RunRequest;
    const over = status !== "running" && status !== "waiting";
    const answer = over
      ? (await store.listMessages(sessionId)).find((message) => message.id === run.messageId)
      : undefined;
    return { runId: id, sessionId, status, model, createdAt, request, ...(answer ? { answer } : {}) };
  }

  const forgottenKey = (runId: string) => `forgotten:${runId}`;

  async function isForgotten(runId: string): Promise<boolean> {
    return (await store.getSettings(principal.id))[forgottenKey(runId)] === true;
  }

  /** Other programs name models without their vendors. */
  async function modelFor(wanted: string | undefined): Promise<string | undefined> {
    if (wanted === undefined) return undefined;
    const keys = await keysOf(principal.id);
    try {
      return models.resolve(wanted, keys).id;
    } catch (unknown) {
      const id = await models.named(wanted, keys);
      if (id === undefined) throw unknown;
      return id;
    }
  }

  return {
    recall,
    async start(request, options) {
      const model = await modelFor(request.model);
      const settled = settleTools(registry, { ...request, ...(model === undefined ? {} : { model }) });
      const started = await runner.start(principal, settled, options);
      return { ...started, clientTools: (settled.clientTools ?? []).map(({ name }) => name) };
    },
    async historyOf(turn) {
      const run = await ownRun(turn.runId);
      return run ? historyBefore(store, run, turn.request) : [];
    },
    eventsOf: (runId) => readEvents(store, runId),
    async newestIn(sessionId) {
      await ownSession(store, principal, sessionId);
      const last = (await store.listMessages(sessionId)).findLast(({ role }) => role === "assistant");
      return last?.runId === undefined ? undefined : recall(last.runId);
    },
    async forget({ runId, sessionId }) {
      await runner.cancel(runId);
      const messages = await store.listMessages(sessionId);
      if (messages.every((message) => message.runId === runId)) await store.deleteSession(sessionId);
      else await store.putSetting(principal.id, forgottenKey(runId), true);
    },
    async underWay(clientRequestId) {
      for (const runId of await store.activeRuns(principal.id)) {
        const run = await ownRun(runId);
        const { request } = (run?.request ?? {}) as unknown as Partial<RunRequest>;
        if (request?.clientRequestId === clientRequestId) return runId;
      }
      return undefined;
    },
  };
}

/** Tells the server's own tools from those that only the client has, and the model how ours are to be used. */
function settleTools(registry: Registry, request: TurnRequest): TurnRequest {
  const { toolSpecs = [], systemPrompt = "", ...rest } = request;
  const ours = toolSpecs.filter(({ name }) => registry.get(name));
  const tools = [...(request.tools ?? []), ...ours.map(({ name }) => name)];
  const words = tools.length > 0 ? [...TOOL_RULES, systemPrompt] : [systemPrompt];
  return {
    ...rest,
    tools,
    clientTools: toolSpecs.filter((spec) => !ours.includes(spec)),
    systemPrompt: words.join("\n").trim(),
  };
}
