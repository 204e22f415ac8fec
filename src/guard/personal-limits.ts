import type { LimitOverrides } from "../protocol/accounts.ts";
import { isObject } from "../protocol/json.ts";
import type { PersonalLimits } from "../protocol/limits.ts";
import type { Store } from "../protocol/store.ts";

/** Not one that people can reach by their own settings. */
const SETTING = "account:limits";

/** Keeps them in the store, beside the person's settings. */
export function createPersonalLimits(store: Pick<Store, "getSettings" | "putSetting">): PersonalLimits {
  async function of(userId: string): Promise<LimitOverrides> {
    const kept = (await store.getSettings(userId))[SETTING];
    if (!isObject(kept)) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === "number"));
  }
  return {
    of,
    async change(userId, changes) {
      const merged = Object.entries({ ...(await of(userId)), ...changes });
      const limits = Object.fromEntries(
        merged.flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
      );
      await store.putSetting(userId, SETTING, Object.keys(limits).length === 0 ? undefined : limits);
      return limits;
    },
  };
}
