import type { PersonalSettings, SettingsListing } from "../protocol/accounts.ts";
import type { ModelCatalogue, VendorListing } from "../protocol/catalogue.ts";
import { Failure } from "../protocol/failure.ts";
import type { Json } from "../protocol/json.ts";
import { isOffered, type ModelOffer } from "../protocol/model-offers.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { Vault } from "./vault.ts";

/** The store keeps other settings under a user too. People can reach only those with these prefixes. */
const SETTING = "my:";
const KEY = "key:";
const MAX_SETTINGS = 100;
const CHECK_MS = 10_000;
/** Keys that are tried at a time, for everybody together. */
const MAX_CHECKS = 8;

export interface PersonalSettingsAndKeys extends PersonalSettings {
  /** Returns the vendors' keys that the user stored, by vendor, to ask models with them. */
  keysOf(userId: string): Promise<Record<string, string>>;
  /** Copies keys to another user who has none for that vendor. A key is encrypted for one user, so it cannot be moved. */
  copyKeys(fromUserId: string, toUserId: string): Promise<void>;
}

export interface PersonalSettingsParts {
  store: Pick<Store, "getSettings" | "putSetting" | "tellAccount">;
  vault: Vault;
  /** Vendors that accept a key. */
  vendors: readonly { id: string; label: string }[];
  /** Search services that accept a key, and whether the server has one. */
  search?: readonly { id: string; label: string; key?: "server" }[];
  /** Tries the key of a search service, or without one the server's. */
  checkSearchKey?: ModelCatalogue["checkKey"];
  models?: Pick<ModelCatalogue, "vendors" | "checkKey">;
  /** Called with keys that are about to be used. */
  noteKeys?(keys: readonly string[]): void;
  /** The models that somebody is offered; by default all. */
  offerTo?(principal: Principal): Promise<ModelOffer>;
}

/** Creates the settings of users. Keys are encrypted. */
export function createPersonalSettings({
  store,
  vault,
  vendors,
  search = [],
  checkSearchKey,
  models,
  noteKeys,
  offerTo,
}: PersonalSettingsParts): PersonalSettingsAndKeys {
  /** Whose keys are being tried. */
  const checking = new Set<string>();

  async function storedKeys(userId: string): Promise<Record<string, string>> {
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
    const keys = Object.entries(await storedKeys(userId));
    return {
      settings,
      keys: Object.fromEntries(keys.map(([vendor, key]) => [vendor, { lastFour: key.slice(-4) }])),
    };
  }

  /** Without a principal, all vendors of the server are listed. */
  async function listVendors(userId: string, principal?: Principal): Promise<VendorListing[]> {
    const keys = await storedKeys(userId);
    const offer = (principal && (await offerTo?.(principal))) ?? {};
    const searching = search.map((vendor): VendorListing => {
      const own = keys[vendor.id];
      const mine = own === undefined ? {} : { key: "own" as const, lastFour: own.slice(-4) };
      return { ...vendor, kind: "search", models: 0, ...mine };
    });
    return [...(models?.vendors(keys, (id) => isOffered(offer, id)) ?? []), ...searching];
  }

  return {
    vendors,
    read,
    async keysOf(userId) {
      const keys = await storedKeys(userId);
      const found = Object.values(keys);
      if (found.length > 0) noteKeys?.(found);
      return keys;
    },
    listVendors: (principal) => listVendors(principal.id, principal),
    async checkKey(userId, vendor, key) {
      if (!(await listVendors(userId)).some(({ id }) => id === vendor))
        throw new Failure("NOT_FOUND", "There is no such vendor.");
      if (checking.has(userId) || checking.size >= MAX_CHECKS)
        throw new Failure("RATE_LIMITED", "Another key is being checked. Try again in a few seconds.", {
          retryAfter: 5,
        });
      checking.add(userId);
      try {
        const tried = key ?? (await storedKeys(userId))[vendor];
        const isSearch = search.some(({ id }) => id === vendor);
        const check = isSearch ? checkSearchKey : models?.checkKey;
        return (await check?.(vendor, tried, AbortSignal.timeout(CHECK_MS))) ?? { result: "unknown" };
      } finally {
        checking.delete(userId);
      }
    },
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
      await store.tellAccount(userId, { type: "settings_changed" });
      return read(userId);
    },
    async copyKeys(fromUserId, toUserId) {
      const own = await storedKeys(toUserId);
      for (const [vendor, key] of Object.entries(await storedKeys(fromUserId)))
        if (!Object.hasOwn(own, vendor)) await putKey(toUserId, vendor, key);
    },
  };
}
