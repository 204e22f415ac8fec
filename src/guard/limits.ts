import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import type { Budgets } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Breakers } from "./breaker.ts";
import { toolBreakers } from "./tool-breakers.ts";

/** The limits table: how many uses of each row a guest and an account have per window. */
export interface LimitsTable {
  windowMs: number;
  rows: Readonly<Record<string, { guest: number; account: number }>>;
}

export interface LimitsOptions {
  store: Pick<Store, "takeLimit" | "refundLimit">;
  breakers: Breakers;
  /** Counts all callers together. Chat requests use the same one. */
  throttle: { take(): { allowed: boolean; retryAfter: number } };
  table: LimitsTable;
  /** Limits of roles and single people, which override the table. */
  personal?: { applying(who: Principal): Promise<Readonly<Record<string, number | undefined>>> };
  budgets?: Budgets;
  note?(fact: GuardFact): void;
  /** Called with each verdict, for the headers of a response. */
  onVerdict?(call: GuardedCall, verdict: LimitVerdict): void;
}

/**
 * Layer 3, in order: breakers, the global throttle, the budget, then the person's limit for this tool. The local owner and
 * tools without a row have no limit.
 */
export function limitsLayer(options: LimitsOptions): GuardLayer[] {
  return [
    ...toolBreakers(options.breakers),
    { name: "throttle", check: () => checkThrottle(options) },
    {
      name: "budget",
      check: (call) =>
        options.budgets && mayCost(call, options.table)
          ? checkBudget(call, options.budgets)
          : { allow: true },
    },
    { name: "limit of the user and tool", check: (call) => checkAllowance(call, options) },
  ];
}

/** Returns the row that counts a tool's calls: the one it names, or the one with its own name. */
export function rowOf({ name, limit }: Pick<Tool, "name" | "limit">, { rows }: LimitsTable) {
  if (limit !== undefined) return limit;
  return Object.hasOwn(rows, name) ? name : undefined;
}

/** Returns how many uses a row grants, or undefined for the owner. Throws if the table has no such row. */
export function allowanceOf(row: string, { kind }: Principal, { rows }: LimitsTable): number | undefined {
  if (kind === "owner") return undefined;
  const allowance = Object.hasOwn(rows, row) ? rows[row] : undefined;
  if (!allowance) throw new Error(`there is no limit "${row}"`);
  return allowance[kind];
}

/** False for work that stays in the process, which costs nothing. */
function mayCost({ tool, args }: GuardedCall, table: LimitsTable): boolean {
  return rowOf(tool, table) !== undefined || tool.effectOf(args) === "network";
}

function checkThrottle({ throttle }: LimitsOptions): Verdict {
  const { allowed, retryAfter } = throttle.take();
  if (allowed) return { allow: true };
  const sentence = "The server has more requests than it takes in a minute. Try again shortly.";
  return { allow: false, failure: new Failure("API_THROTTLED", sentence, { retryAfter }) };
}

async function checkBudget({ context }: GuardedCall, budgets: Budgets): Promise<Verdict> {
  const used = await budgets.usedUp(context.principal);
  if (!used) return { allow: true };
  const { sentence, retryAfter } = used;
  const when = retryAfter === undefined ? { retryable: false } : { retryAfter };
  return { allow: false, failure: new Failure("RATE_LIMITED", sentence, when) };
}

async function checkAllowance(call: GuardedCall, options: LimitsOptions): Promise<Verdict> {
  const { store, table, note, onVerdict } = options;
  const { principal } = call.context;
  const row = rowOf(call.tool, table);
  const usual = row === undefined ? undefined : allowanceOf(row, principal, table);
  if (row === undefined || usual === undefined) return { allow: true };
  const limit = (await options.personal?.applying(principal))?.[row] ?? usual;
  const verdict = await store.takeLimit(principal.id, row, limit, table.windowMs);
  note?.({ type: "limit", row, allowed: verdict.allowed });
  onVerdict?.(call, verdict);
  if (!verdict.allowed)
    return { allow: false, failure: limitReached(call.tool.name, verdict, table.windowMs) };
  return { allow: true, refund: () => store.refundLimit(principal.id, row) };
}

/** The failure of a call that exceeds its limit. */
export function limitReached(tool: string, verdict: LimitVerdict, windowMs: number): Failure {
  const { limit, remaining, resetAt } = verdict;
  const reset = new Date(resetAt).toISOString();
  return new Failure(
    "RATE_LIMITED",
    `Rate limit exceeded for tool '${tool}': ${limit} per ${spokenDuration(windowMs)}. Possible again at ${reset}.`,
    { retryAfter: Math.max(1, verdict.retryAfter), details: { limit, remaining, reset_at: reset } },
  );
}

function spokenDuration(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  const hours = minutes / 60;
  if (Number.isInteger(hours)) return hours === 1 ? "hour" : `${hours} hours`;
  return minutes === 1 ? "minute" : `${minutes} minutes`;
}
