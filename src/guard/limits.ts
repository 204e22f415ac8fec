import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, GuardLayer, Verdict } from "../protocol/guard.ts";
import type { Budgets } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { LimitVerdict, Store } from "../protocol/store.ts";
import type { Tool } from "../protocol/tool.ts";
import type { Breakers } from "./breaker.ts";
import { breakerLayers } from "./breaker-layers.ts";
import { checkBudget } from "./budget.ts";

/** The limits table: how often a guest and an account may use what a row counts, within the window. */
export interface LimitsTable {
  windowMs: number;
  rows: Readonly<Record<string, { guest: number; account: number }>>;
}

export interface LimitsOptions {
  store: Pick<Store, "takeLimit" | "refundLimit">;
  breakers: Breakers;
  /** All callers together; the same one that chat requests are counted by. */
  throttle: { take(): { allowed: boolean; retryAfter: number } };
  table: LimitsTable;
  /** What single people may do instead of what the table says. */
  personal?: { of(userId: string): Promise<Readonly<Record<string, number | undefined>>> };
  budgets?: Budgets;
  toolTimeoutMs: number;
  note?(fact: GuardFact): void;
  /** Is told of each verdict on a call, for the headers of an answer. */
  onVerdict?(call: GuardedCall, verdict: LimitVerdict): void;
}

/**
 * Layer 3, in its order: breakers, the global throttle, money, then what this user may still do with this tool. The local
 * owner has no such allowance, and a tool that no row counts has none either.
 */
export function limitsLayer(options: LimitsOptions): GuardLayer[] {
  return [
    ...breakerLayers(options.breakers, options.toolTimeoutMs),
    { name: "throttle", check: (call) => checkThrottle(call, options) },
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

/** The row of the table that counts a tool's calls: the one it names, or the one of its own name. */
export function rowOf({ name, limit }: Pick<Tool, "name" | "limit">, { rows }: LimitsTable) {
  if (limit !== undefined) return limit;
  return Object.hasOwn(rows, name) ? name : undefined;
}

/** How many uses a row grants, or undefined for the owner. Throws where the row is not in the table. */
export function allowanceOf(row: string, { kind }: Principal, { rows }: LimitsTable): number | undefined {
  if (kind === "owner") return undefined;
  const allowance = Object.hasOwn(rows, row) ? rows[row] : undefined;
  if (!allowance) throw new Error(`there is no limit "${row}"`);
  return allowance[kind];
}

/** Work that stays in the process costs nothing and wears nothing out. */
function mayCost({ tool, args }: GuardedCall, table: LimitsTable): boolean {
  return rowOf(tool, table) !== undefined || tool.effectOf(args) === "network";
}

function checkThrottle(call: GuardedCall, { throttle, table }: LimitsOptions): Verdict {
  if (!mayCost(call, table)) return { allow: true };
  const { allowed, retryAfter } = throttle.take();
  if (allowed) return { allow: true };
  const sentence = "The server has more requests than it takes in a minute. Try again shortly.";
  return { allow: false, failure: new Failure("API_THROTTLED", sentence, { retryAfter }) };
}

async function checkAllowance(call: GuardedCall, options: LimitsOptions): Promise<Verdict> {
  const { store, table, note, onVerdict } = options;
  const { principal } = call.context;
  const row = rowOf(call.tool, table);
  const usual = row === undefined ? undefined : allowanceOf(row, principal, table);
  if (row === undefined || usual === undefined) return { allow: true };
  const limit = (await options.personal?.of(principal.id))?.[row] ?? usual;
  const verdict = await store.takeLimit(principal.id, row, limit, table.windowMs);
  note?.({ type: "limit", row, allowed: verdict.allowed });
  onVerdict?.(call, verdict);
  if (!verdict.allowed)
    return { allow: false, failure: limitReached(call.tool.name, verdict, table.windowMs) };
  return { allow: true, refund: () => store.refundLimit(principal.id, row) };
}

/** The failure of a call for which nothing is left in the window. */
export function limitReached(tool: string, verdict: LimitVerdict, windowMs: number): Failure {
  const { limit, remaining, resetAt } = verdict;
  const reset = new Date(resetAt).toISOString();
  return new Failure(
    "RATE_LIMITED",
    `Rate limit exceeded for tool '${tool}': ${limit} per ${spoken(windowMs)}. Possible again at ${reset}.`,
    { retryAfter: Math.max(1, verdict.retryAfter), details: { limit, remaining, reset_at: reset } },
  );
}

function spoken(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  const hours = minutes / 60;
  if (Number.isInteger(hours)) return hours === 1 ? "hour" : `${hours} hours`;
  return minutes === 1 ? "minute" : `${minutes} minutes`;
}
