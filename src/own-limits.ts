import type { OwnLimits, OwnLimitsRequest } from "./protocol/accounts.ts";
import { isObject } from "./protocol/json.ts";
import type { Store } from "./protocol/store.ts";

/** The limits that an administrator set for single people: they stand above the table. */
export interface PersonalLimits {
  of(userId: string): Promise<OwnLimits>;
  /** Changes those that are named; null gives somebody the table's again. */
  change(userId: string, request: OwnLimitsRequest): Promise<OwnLimits>;
}

/** Not one that people can reach by their own settings. */
const SETTING = "account:limits";

/** Keeps them in the store, beside the person's settings. */
export function createPersonalLimits(store: Pick<Store, "getSettings" | "putSetting">): PersonalLimits {
  async function of(userId: string): Promise<OwnLimits> {
    const kept = (await store.getSettings(userId))[SETTING];
    if (!isObject(kept)) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === "number"));
  }
  return {
    of,
    async change(userId, request) {
      const merged = Object.entries({ ...(await of(userId)), ...request });
      const limits = Object.fromEntries(
        merged.flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
      );
      await store.putSetting(userId, SETTING, Object.keys(limits).length === 0 ? undefined : limits);
      return limits;
    },
  };
}
