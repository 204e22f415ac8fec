import type { GuardedCall } from "../protocol/guard.ts";
import type { ErrorEntry, Ledger, ToolUse } from "../protocol/ledger.ts";
import type { GuardFact } from "../protocol/statistics.ts";

/** Records tool calls and errors in batches, in the background. */
export interface UsageLedger {
  noteCall(fact: GuardFact, call: GuardedCall): void;
  noteError(error: ErrorEntry): void;
  /** Resolves once everything so far is written or dropped. Never throws. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_MS = 1_000;
/** The most entries that are kept while the database is unavailable. */
const MOST_WAITING = 5_000;

/** Buffers what this process uses and writes it to the ledger that all instances share. */
export function createUsageLedger(
  ledger: Pick<Ledger, "recordToolUses" | "recordErrors">,
  onProblem: (thrown: unknown) => void,
): UsageLedger {
  let uses: ToolUse[] = [];
  let errors: ErrorEntry[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const [someUses, someErrors] = [uses, errors];
    uses = [];
    errors = [];
    try {
      if (someUses.length > 0) await ledger.recordToolUses(someUses);
      if (someErrors.length > 0) await ledger.recordErrors(someErrors);
    } catch (thrown) {
      onProblem(thrown);
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  let timer: NodeJS.Timeout | undefined;
  function flushSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, FLUSH_MS).unref();
  }

  function noteError(error: ErrorEntry): void {
    if (errors.length < MOST_WAITING) errors.push(error);
    flushSoon();
  }

  return {
    noteError,
    flush,
    noteCall(fact, call) {
      if (fact.type === "limit") return;
      const source = `tool:${fact.tool}`;
      if (fact.type === "refusal") return noteError({ code: fact.code, source });
      if (fact.outcome !== "success") noteError({ code: fact.outcome, source });
      if (uses.length < MOST_WAITING) uses.push(entryOf(fact, call));
      flushSoon();
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}

function entryOf(fact: Extract<GuardFact, { type: "call" }>, { context }: GuardedCall): ToolUse {
  const { usage, model } = context.spending ?? {};
  return {
    userId: context.principal.id,
    runId: context.runId,
    tool: fact.tool,
    outcome: fact.outcome,
    durationMs: fact.durationMs,
    cached: fact.cached ?? false,
    costUsd: fact.costUsd ?? 0,
    model,
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    modelCostUsd: usage?.costUsd ?? 0,
  };
}
