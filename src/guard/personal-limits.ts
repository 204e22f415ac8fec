import { type LimitOverrides, limitOverrides } from "../protocol/accounts.ts";
import type { PersonalLimits } from "../protocol/limits.ts";
import type { Store } from "../protocol/store.ts";
import { readStored } from "../protocol/stored.ts";

/** People cannot change a setting with this name themselves. */
const SETTING = "account:limits";

/** Keeps the limits of single people in the store, among their settings. */
export function createPersonalLimits(store: Pick<Store, "getSettings" | "putSetting">): PersonalLimits {
  async function of(userId: string): Promise<LimitOverrides> {
    const stored = (await store.getSettings(userId))[SETTING];
    return readStored(limitOverrides, stored ?? {}, `The limits of user ${userId}`);
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
