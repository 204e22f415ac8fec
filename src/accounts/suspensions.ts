import { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

/** Who is shut out, by any kind of principal's id. */
export interface Suspensions {
  has(userId: string): Promise<boolean>;
  /** Once it resolves, nothing of theirs is going on here any more. */
  set(userId: string, suspended: boolean): Promise<void>;
  /** Throws FORBIDDEN for who is shut out. */
  admit(user: { id: string }): Promise<void>;
  refusal(): Failure;
}

export interface SuspensionParts {
  store: Pick<Store, "getSettings" | "putSetting">;
  /** Ends what is going on for a user: connections, runs. */
  end(userId: string): Promise<void>;
}

const SETTING = "account:suspended";

/** Remembers suspensions in the store. It is written down before things are ended, so that nothing starts in between. */
export function createSuspensions({ store, end }: SuspensionParts): Suspensions {
  const has = async (userId: string) => (await store.getSettings(userId))[SETTING] === true;
  const refusal = () => new Failure("FORBIDDEN", "This account is suspended. Ask the administrator.");
  return {
    has,
    refusal,
    async set(userId, suspended) {
      await store.putSetting(userId, SETTING, suspended ? true : undefined);
      if (suspended) await end(userId);
    },
    async admit({ id }) {
      if (await has(id)) throw refusal();
    },
  };
}
