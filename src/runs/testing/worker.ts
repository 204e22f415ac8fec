import { onTestFinished } from "vitest";
import { createGuard } from "../../guard/pipeline.ts";
import { policyFile } from "../../guard/policy.ts";
import { type Script, scriptedModel, tool } from "../../loop/testing/scripted.ts";
import type { ModelCatalogue } from "../../protocol/catalogue.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Files } from "../../protocol/files.ts";
import type { ErrorEntry } from "../../protocol/ledger.ts";
import type { Budgets } from "../../protocol/limits.ts";
import { textOf } from "../../protocol/messages.ts";
import type { RunStatus } from "../../protocol/run-records.ts";
import type { RunFact } from "../../protocol/statistics.ts";
import type { Store } from "../../protocol/store.ts";
import { createJournal } from "../../store/journal.ts";
import { Runner, type RunnerParts } from "../runner.ts";
import { registryOf } from "./registry.ts";

/** A process that works on runs of this store with a scripted model. It is closed after the test. */
export function worker(
  store: Store,
  scripts: Script[],
  options: { owner?: string; leaseMs?: number; maxContinuations?: number } & Partial<RunnerParts> = {},
) {
  const { owner = "one", leaseMs = 60_000, maxContinuations = 3, ...change } = options;
  const { model, requests } = scriptedModel(scripts);
  const tools = [tool("save", { effect: "write" })];
  const notes: RunFact[] = [];
  const errors: ErrorEntry[] = [];
  const logged: string[] = [];
  const log = (_facts: object, message: string) => void logged.push(message);
  const journal = createJournal(store, { onBroken: (runId) => runner.abandon(runId) });
  const runner: Runner = new Runner(
    {
      settings: {
        loop: {
          maxIterations: { guest: 5, account: 5 },
          maxToolCalls: { guest: 3, account: 3 },
          parallelTools: 2,
          maxTokens: 1_000_000,
          maxCostUsd: Number.POSITIVE_INFINITY,
          costOf: "one request",
          maxOutputCharacters: 10_000,
          maxRunMs: 60_000,
          maxRetries: 0,
          maxContinuations,
          approvalMs: 60_000,
        },
        leaseMs,
        delegateDepth: 1,
        fetchAllow: [],
      },
      store,
      files: { maxBytes: 1_000, readTemporary: async () => undefined } as Partial<Files> as Files,
      userFiles: () => ({
        save: () => Promise.reject(new Error("not used")),
        load: () => Promise.reject(new Error("not used")),
        latestImage: async () => undefined,
      }),
      fileReaders: {
        readImage: () => Promise.reject(new Error("not used")),
        readPdf: () => Promise.reject(new Error("not used")),
      },
      models: { resolve: () => model } as Partial<ModelCatalogue> as ModelCatalogue,
      registry: registryOf({ list: () => tools }),
      guard: createGuard({
        policy: policyFile.parse({}),
        execution: { timeoutMs: 5_000, maxOutputCharacters: 1_000 },
      }),
      callContexts: {
        sandbox: { tier: "none", detail: "", improve: "" },
        contextFor: (principal) => ({ principal, roots: [], now: () => new Date() }),
      },
      budgets: { limited: async () => false } as Partial<Budgets> as Budgets,
      modelsFor: async () => ({
        keys: {},
        resolve: async () => model,
        named: async () => undefined,
        list: async () => [],
      }),
      keysOf: async () => ({}),
      admit: async () => {},
      journal,
      note: (fact) => notes.push(fact),
      noteError: (error) => errors.push(error),
      log: { warn: log, error: log },
      ...change,
    },
    owner,
  );
  onTestFinished(() => runner.close());
  return { runner, requests, notes, errors, logged };
}

/** A script that hangs until it is stopped, and a promise for its start and its end. */
export function hanging(text = "Once upon") {
  const [asked, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const script: Script = (emit, signal) =>
    new Promise((resolve) => {
      emit({ type: "text_delta", text });
      asked.resolve();
      signal.addEventListener("abort", () => {
        emit({ type: "failure", failure: new Failure("CANCELLED", "stopped") });
        stopped.resolve();
        resolve();
      });
    });
  return { script, asked: asked.promise, stopped: stopped.promise };
}

/** Resolves with what `look` finds, once it finds something. */
export async function until<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves when the run has this status. */
export function reaches(store: Store, runId: string, wanted: RunStatus): Promise<RunStatus> {
  return until(async () => {
    const status = (await store.getRun(runId))?.status;
    return status === wanted ? status : undefined;
  });
}

/** The text of the newest answer in a session. */
export async function answerIn(store: Store, sessionId: string): Promise<string> {
  const answer = (await store.listMessages(sessionId)).findLast(({ role }) => role === "assistant");
  return answer ? textOf(answer) : "";
}
