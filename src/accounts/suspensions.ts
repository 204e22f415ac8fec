import { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

/** Suspended users, by the id of any kind of principal. */
export interface Suspensions {
  has(userId: string): Promise<boolean>;
  /** Returns those of these users who are suspended. */
  among(userIds: readonly string[]): Promise<Set<string>>;
  /** When it resolves, the user has no connections and runs here any more. */
  set(userId: string, suspended: boolean): Promise<void>;
  /** Throws FORBIDDEN for a suspended user. */
  admit(user: { id: string }): Promise<void>;
  refusal(): Failure;
}

export interface SuspensionParts {
  store: Pick<Store, "getSettings" | "getSettingsOfEach" | "putSetting">;
  /** Ends the connections and runs of a user. */
  end(userId: string): Promise<void>;
}

const SETTING = "account:suspended";

/** Stores suspensions. A suspension is written before connections are ended, so that nothing starts in between. */
export function createSuspensions({ store, end }: SuspensionParts): Suspensions {
  const has = async (userId: string) => (await store.getSettings(userId))[SETTING] === true;
  const refusal = () => new Failure("FORBIDDEN", "This account is suspended. Ask the administrator.");
  return {
    has,
    refusal,
    async among(userIds) {
      const settings = [...(await store.getSettingsOfEach(userIds, [SETTING]))];
      return new Set(settings.flatMap(([id, own]) => (own[SETTING] === true ? [id] : [])));
    },
    async set(userId, suspended) {
      await store.putSetting(userId, SETTING, suspended ? true : undefined);
      if (suspended) await end(userId);
    },
    async admit({ id }) {
      if (await has(id)) throw refusal();
    },
  };
}
