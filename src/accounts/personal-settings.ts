import type { PersonalSettings, SettingsListing } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Json } from "../protocol/json.ts";
import type { Store } from "../protocol/store.ts";
import type { Vault } from "./vault.ts";

/** The store keeps other settings under a user too. People can reach only those with these prefixes. */
const SETTING = "my:";
const KEY = "key:";
const MAX_SETTINGS = 100;

export interface PersonalSettingsAndKeys extends PersonalSettings {
  /** Returns the vendors' keys that the user stored, by vendor. */
  keysOf(userId: string): Promise<Record<string, string>>;
  /** Copies keys to another user who has none for that vendor. A key is encrypted for one user, so it cannot be moved. */
  copyKeys(fromUserId: string, toUserId: string): Promise<void>;
}

export interface PersonalSettingsParts {
  store: Pick<Store, "getSettings" | "putSetting">;
  vault: Vault;
  /** Vendors that accept a key. */
  vendors: readonly { id: string; label: string }[];
}

/** Creates the settings of users. Keys are encrypted. */
export function createPersonalSettings({
  store,
  vault,
  vendors,
}: PersonalSettingsParts): PersonalSettingsAndKeys {
  async function keysOf(userId: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [name, value] of Object.entries(await store.getSettings(userId))) {
      if (!name.startsWith(KEY) || typeof value !== "string") continue;
      const key = vault.open(value, { userId, name });
      if (key !== undefined) found[name.slice(KEY.length)] = key;
    }
    return found;
  }

  async function putKey(userId: string, vendor: string, key: string | null): Promise<void> {
    const name = KEY + vendor;
    await store.putSetting(userId, name, key === null ? undefined : vault.seal(key, { userId, name }));
  }

  async function read(userId: string): Promise<SettingsListing> {
    const settings: Record<string, Json> = {};
    for (const [name, value] of Object.entries(await store.getSettings(userId)))
      if (name.startsWith(SETTING)) settings[name.slice(SETTING.length)] = value;
    const keys = Object.entries(await keysOf(userId));
    return {
      settings,
      keys: Object.fromEntries(keys.map(([vendor, key]) => [vendor, { lastFour: key.slice(-4) }])),
    };
  }

  return {
    vendors,
    read,
    keysOf,
    async change(userId, { settings, keys }) {
      const known = vendors.map(({ id }) => id);
      const unknown = Object.keys(keys).find((vendor) => !known.includes(vendor));
      if (unknown !== undefined) {
        const message = `keys: there is no vendor "${unknown}". The vendors are: ${known.join(", ")}.`;
        throw new Failure("INVALID_INPUT", message);
      }
      const kept = new Set(Object.keys((await read(userId)).settings));
      for (const [name, value] of Object.entries(settings)) {
        if (value === null) kept.delete(name);
        else kept.add(name);
      }
      if (kept.size > MAX_SETTINGS)
        throw new Failure("INVALID_INPUT", `settings: at most ${MAX_SETTINGS} can be stored.`);
      for (const [name, value] of Object.entries(settings))
        await store.putSetting(userId, SETTING + name, value === null ? undefined : value);
      for (const [vendor, key] of Object.entries(keys)) await putKey(userId, vendor, key);
      return read(userId);
    },
    async copyKeys(fromUserId, toUserId) {
      const own = await keysOf(toUserId);
      for (const [vendor, key] of Object.entries(await keysOf(fromUserId)))
        if (!Object.hasOwn(own, vendor)) await putKey(toUserId, vendor, key);
    },
  };
}
