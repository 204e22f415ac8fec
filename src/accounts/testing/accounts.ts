import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Accounts } from "../../protocol/accounts.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { writeEmptyDatabase } from "../../store/testing/empty.ts";
import { type AccountsParts, createAccounts } from "../accounts.ts";
import { authMethods } from "../auth-methods.ts";
import { createDirectory } from "../directory.ts";
import { openEngine } from "../engine.ts";
import { createPersonalSettings } from "../personal-settings.ts";
import { deriveKey } from "../secret.ts";
import { createSuspensions } from "../suspensions.ts";
import { createVault } from "../vault.ts";

export const FROM = { address: "192.0.2.1" };
export const ADA = { email: "ada@example.com", password: "correct horse", name: "Ada" };
export const BOB = { email: "bob@example.com", password: "battery staple", name: "" };

/** A folder with a real database in it, removed afterwards. */
export function accountsFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "tackle-accounts-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Accounts over a real database, with everything that the server has around them. */
export async function openTestAccounts(folder: string, signUp: AccountsParts["signUp"] = "open") {
  const databasePath = join(folder, "tackle.db");
  if (!existsSync(databasePath)) await writeEmptyDatabase(databasePath);
  const store = await openSqliteStore({ path: databasePath });
  const engine = await openEngine({
    database: { path: databasePath },
    secret: "a secret that is only a test's, long enough",
  });
  const directory = createDirectory(engine);
  const ended: string[] = [];
  const suspensions = createSuspensions({ store, end: async (userId) => void ended.push(userId) });
  const vault = createVault(deriveKey("another secret of the test", "stored keys"));
  const personalSettings = createPersonalSettings({
    store,
    vault,
    vendors: ["openai", "zai"].map((id) => ({ id, label: id })),
  });
  const setUpToken = "the set-up token of a test";
  const passkeyKey = deriveKey("another secret of the test", "passkeys");
  const real = createAccounts({
    store,
    directory,
    suspensions,
    personalSettings,
    signUp,
    setUpToken,
    passkeyKey,
  });
  const accounts: Accounts = {
    ...real,
    signUp: (request, from) => real.signUp({ setupToken: setUpToken, ...request }, from),
  };
  const methods = authMethods(directory, undefined);

  return {
    store,
    directory,
    suspensions,
    personalSettings,
    accounts,
    ended,
    /** Returns the principal that the server sees for these credentials. */
    async identify(bearer?: string, cookies: Record<string, string> = {}) {
      for (const method of methods) {
        const principal = await method({ bearer, cookie: (name) => cookies[name] });
        if (principal) return principal;
      }
      return undefined;
    },
    async close() {
      directory.close();
      await store.close();
    },
  };
}

export type TestAccounts = Awaited<ReturnType<typeof openTestAccounts>>;
