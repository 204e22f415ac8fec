import type { FinishReason } from "../protocol/events.ts";
import { addUsage, type Usage } from "../protocol/model.ts";
import type { Turn } from "./turn.ts";

/** Why a run stops before the model has finished, in words for the person. */
export interface BudgetStop {
  status: "done";
  finishReason: FinishReason;
  code: string;
  sentence: string;
}

/** Checks all limits of a run, before each model request. */
export function exceededBudget(
  turn: Turn,
  iteration: number,
  known?: "output" | "time",
): BudgetStop | undefined {
  const { limits } = turn;
  const usage = turn.log.state().usage;
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  if (known === "output") return stop("length", "OUTPUT_LIMIT", "the length limit for one answer");
  if (known === "time" || timeLeft(turn) < 0) {
    return stop(
      "length",
      "TIME_LIMIT",
      `the time limit of ${Math.round(limits.maxRunMs / 60_000)} minutes for one request`,
    );
  }
  if (tokens >= limits.maxTokens)
    return stop("length", "TOKEN_LIMIT", `the budget of ${limits.maxTokens} tokens for one request`);
  if ((usage?.costUsd ?? 0) >= limits.maxCostUsd) {
    return stop("length", "COST_LIMIT", `the limit of what ${limits.costOf} may cost`);
  }
  if (iteration >= limits.maxIterations) {
    return stop(
      "iteration_limit",
      "ITERATION_LIMIT",
      `the limit of ${limits.maxIterations} steps for one request`,
    );
  }
  return undefined;
}

/** Returns how long the run may still work, in milliseconds. */
export function timeLeft({ limits, time }: Turn): number {
  return limits.maxRunMs - (time?.workedMs ?? 0);
}

/** Returns what the run itself has cost. What its child runs cost is counted for them. */
export function spentUsd({ log }: Turn): number {
  const { usage } = log.state();
  return Math.max(0, (usage?.costUsd ?? 0) - (usage?.children?.costUsd ?? 0));
}

/** Checks the budgets of the person and the API key, including what this run has cost so far. */
export async function exceededMoney(turn: Turn): Promise<BudgetStop | undefined> {
  const { money } = turn;
  if (!money) return undefined;
  await money.note(spentUsd(turn));
  const used = await money.usedUp();
  if (used === undefined) return undefined;
  return { status: "done", finishReason: "length", code: "COST_LIMIT", sentence: `I stopped: ${used}` };
}

function stop(finishReason: FinishReason, code: string, what: string): BudgetStop {
  return {
    status: "done",
    finishReason,
    code,
    sentence: `I stopped at ${what}. Say “continue” and I will go on.`,
  };
}

/** Measures how long a run has worked. The time in which it waits for a person does not count. */
export class WorkingTime {
  readonly #now: () => number;
  readonly #startedAt: number;
  #waitedMs = 0;
  #since: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Notes that the run begins or ends to wait. */
  setWaiting(waiting: boolean): void {
    if (waiting) this.#since ??= this.#now();
    else if (this.#since !== undefined) {
      this.#waitedMs += this.#now() - this.#since;
      this.#since = undefined;
    }
  }

  get workedMs(): number {
    return (this.#since ?? this.#now()) - this.#startedAt - this.#waitedMs;
  }
}

/** How full the window is after a request. */
export interface ContextFill {
  contextTokens: number;
  contextWindow?: number;
}

/** Adds what a request used to the run's total. */
export function reportUsage({ log }: Pick<Turn, "log">, added: Usage, fill?: ContextFill): void {
  if (added.inputTokens === 0 && added.outputTokens === 0) return;
  const total: Usage = { inputTokens: 0, outputTokens: 0, ...log.state().usage };
  addUsage(total, added);
  log.emit({ type: "usage", ...total, ...fill });
}
