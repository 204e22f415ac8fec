import type { Budgets, LimitSettings, PersonalLimits, UsedUp } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";

export interface BudgetParts {
  store: Pick<Store, "spentWithin" | "spentByKey">;
  config: LimitSettings;
  personal: PersonalLimits;
}

const DAY_MS = 86_400_000;
/** Costs leave the window one by one, so nobody is told to wait longer than this. */
const LONGEST_WAIT_SECONDS = 3_600;

/** Creates the budgets: of a person per window, and of an API key per its days or in total. */
export function createBudgets({ store, config, personal }: BudgetParts): Budgets {
  const windowMs = config.requestLimits.windowMinutes * 60_000;

  async function ofPerson({ id, kind }: Pick<Principal, "id" | "kind">): Promise<number | undefined> {
    if (config.auth === "none" || kind === "owner") return undefined;
    return (await personal.applying({ id, kind })).costUsd ?? config.requestLimits.costUsd?.[kind];
  }

  async function personUsedUp(principal: Principal): Promise<UsedUp | undefined> {
    const usd = await ofPerson(principal);
    if (usd === undefined || (await store.spentWithin(principal.id, windowMs)) < usd) return undefined;
    return usedUp(`the limit of what one person in ${windowMs / 3_600_000} hours may cost`, usd, windowMs);
  }

  async function keyUsedUp({ key }: Principal): Promise<UsedUp | undefined> {
    if (!key?.budget) return undefined;
    const { usd, days } = key.budget;
    const within = days === undefined ? undefined : days * DAY_MS;
    if ((await store.spentByKey(key.id, within)) < usd) return undefined;
    const span = days === undefined ? "" : days === 1 ? " a day" : ` in ${days} days`;
    return usedUp(`the budget of this API key${span}`, usd, within);
  }

  return {
    ofPerson,
    limited: async (principal) =>
      principal.key?.budget !== undefined || (await ofPerson(principal)) !== undefined,
    usedUp: async (principal) => (await keyUsedUp(principal)) ?? personUsedUp(principal),
  };
}

function usedUp(what: string, usd: number, windowMs: number | undefined): UsedUp {
  const spent = `${what} is used up ($${usd}).`;
  if (windowMs === undefined) return { sentence: `${spent} Its owner can raise it.` };
  const retryAfter = Math.min(Math.ceil(windowMs / 1000), LONGEST_WAIT_SECONDS);
  return { sentence: `${spent} Something is left again as earlier costs leave that time.`, retryAfter };
}
