import { Failure } from "../protocol/failure.ts";
import type { GuardedCall, Verdict } from "../protocol/guard.ts";
import type { Principal } from "../protocol/principal.ts";

/** What people and their API keys may spend. */
export interface Budgets {
  /** Whether anything limits what this principal spends. */
  limited(principal: Principal): Promise<boolean>;
  /** Dollars that a person may spend within the window of the limits; undefined where nothing limits that. */
  ofPerson(principal: Pick<Principal, "id" | "kind">): Promise<number | undefined>;
  /** The budget that is used up, where one is. */
  usedUp(principal: Principal): Promise<UsedUp | undefined>;
}

export interface UsedUp {
  sentence: string;
  /** Seconds after which something may be left again; missing where that takes a larger budget. */
  retryAfter?: number;
}

/** Refuses a call of somebody who has nothing left to spend. */
export async function checkBudget({ context }: GuardedCall, budgets: Budgets): Promise<Verdict> {
  const used = await budgets.usedUp(context.principal);
  if (!used) return { allow: true };
  const { sentence, retryAfter } = used;
  const when = retryAfter === undefined ? { retryable: false } : { retryAfter };
  return { allow: false, failure: new Failure("RATE_LIMITED", sentence, when) };
}
