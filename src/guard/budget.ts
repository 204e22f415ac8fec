import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, Verdict } from "../protocol/guard.ts";
import type { Budgets } from "../protocol/limits.ts";

/** Refuses a call of somebody who has nothing left to spend. */
export async function checkBudget({ context }: GuardedCall, budgets: Budgets): Promise<Verdict> {
  const used = await budgets.usedUp(context.principal);
  if (!used) return { allow: true };
  const { sentence, retryAfter } = used;
  const when = retryAfter === undefined ? { retryable: false } : { retryAfter };
  return { allow: false, failure: new Failure("RATE_LIMITED", sentence, when) };
}
