import { type LimitOverrides, type LimitsRequest, limitOverrides } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { LimitedRole, PersonalLimits } from "../protocol/limits.ts";
import type { Store } from "../protocol/store.ts";
import { readStored } from "../protocol/stored.ts";
import { roleSubject } from "./role-subject.ts";

/** People cannot change a setting with this name themselves. */
const SETTING = "account:limits";

/** Keeps the limits of roles and single people in the store, among their settings. `fixed` names what the operator has set. */
export function createPersonalLimits(
  store: Pick<Store, "getSettings" | "getSettingsOfEach" | "putSetting">,
  fixed: readonly string[] = [],
): PersonalLimits {
  async function of(subject: string): Promise<LimitOverrides> {
    const stored = (await store.getSettings(subject))[SETTING];
    return readStored(limitOverrides, stored ?? {}, `The limits of ${subject}`);
  }
  async function change(subject: string, changes: LimitsRequest["limits"]): Promise<LimitOverrides> {
    const merged = Object.entries({ ...(await of(subject)), ...changes });
    const limits = Object.fromEntries(
      merged.flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
    );
    await store.putSetting(subject, SETTING, Object.keys(limits).length === 0 ? undefined : limits);
    return limits;
  }
  async function ofRole(role: LimitedRole): Promise<LimitOverrides> {
    const set = Object.entries(await of(roleSubject(role)));
    return Object.fromEntries(set.filter(([name]) => !fixed.includes(name)));
  }
  return {
    of,
    async ofEach(userIds) {
      const settings = await store.getSettingsOfEach(userIds, [SETTING]);
      const read = (value: unknown, id: string) => readStored(limitOverrides, value, `The limits of ${id}`);
      return new Map([...settings].map(([id, own]) => [id, read(own[SETTING], id)]));
    },
    change,
    ofRole,
    async applying({ id, kind }) {
      if (kind === "owner") return {};
      const [usual, own] = await Promise.all([ofRole(kind), of(id)]);
      return { ...usual, ...own };
    },
    async changeRole(role, changes) {
      const refused = Object.keys(changes).find((name) => fixed.includes(name));
      if (refused !== undefined)
        throw new Failure(
          "CONFLICT",
          `The operator sets the limit ${refused} with TACKLE_LIMITS. It cannot be changed here.`,
        );
      await change(roleSubject(role), changes);
      return ofRole(role);
    },
  };
}
