import type { Account, Accounts, ApiKey, ListedKey, ProviderProblem, Visitor } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import { beginAttempt, takeAttempt } from "./attempts.ts";
import type { Directory } from "./directory.ts";
import { createOwnAccount } from "./own-account.ts";
import { createPasskeys } from "./passkeys.ts";
import type { PersonalSettingsAndKeys } from "./personal-settings.ts";
import { createProviderSignIn, type ProviderParts } from "./provider-sign-in.ts";
import { isSameSecret } from "./same-secret.ts";
import type { Suspensions } from "./suspensions.ts";

export interface AccountsParts {
  store: Store;
  directory: Directory;
  suspensions: Suspensions;
  personalSettings: PersonalSettingsAndKeys;
  /** `first`: only the first user may sign up, and becomes the administrator. `provider`: also whom the provider signs in. */
  signUp: "open" | "first" | "provider" | "closed";
  /** Signs the challenges of passkeys. */
  passkeyKey: Uint8Array;
  /** An outside provider by which people sign in. */
  provider?: ProviderParts;
  /** The first account must hand it over, so that no stranger becomes the administrator. */
  setUpToken: string;
  /** Removes what of a user is neither in the database nor a file. */
  removeOutside?(userId: string): Promise<void>;
  /** Mails a link with the token to the person. Must not throw. Missing if the server sends no mail. */
  mailReset?(account: Account, token: string): void;
  /** Called after all data of a user was deleted. */
  onRemoved?(userId: string): void;
}

const DAY_MS = 86_400_000;
const NEW_ACCOUNTS_PER_ADDRESS = 100;
/** People without a password prove who they are by having just signed in. */
const FRESH_MS = 10 * 60_000;

/** Creates accounts with their rules: who may sign up, how often one may try, and what happens to a user's data. */
export function createAccounts(parts: AccountsParts): Accounts {
  const { store, directory, suspensions, personalSettings } = parts;
  let queue: Promise<unknown> = Promise.resolve();

  /** Runs one at a time on all instances: only one account can be the first, and one administrator must remain. */
  function exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const alone = async () => {
      const done: Result[] = [];
      await directory.withSchemaLock(async () => void done.push(await work()));
      return done[0] as Result;
    };
    // Queued here too, so that waiting calls hold no more than one connection.
    const result = queue.then(alone, alone);
    queue = result.catch(() => undefined); // The caller gets the failure; the next one starts anyway.
    return result;
  }

  async function adopt(account: Account, { guest }: Visitor): Promise<void> {
    if (!guest || (await suspensions.has(guest.id))) return;
    await personalSettings.copyKeys(guest.id, account.id);
    await store.adoptUser(guest.id, account.id);
  }

  async function existing(id: string): Promise<Account> {
    const account = await directory.get(id);
    if (!account) throw new Failure("NOT_FOUND", "There is no such user.");
    return account;
  }

  async function withSpending(key: ApiKey): Promise<ListedKey> {
    const { days } = key.budget ?? {};
    return { ...key, spentUsd: await store.spentByKey(key.id, days && days * DAY_MS) };
  }

  /** Returns the account after checking its password again. */
  async function withPassword(id: string, password: string, from: Visitor): Promise<Account> {
    const account = await existing(id);
    const attempt = await beginAttempt(store, account.email, from.address);
    if (!(await directory.checkPassword(id, password)))
      throw new Failure("FORBIDDEN", "The password is wrong, so nothing was changed.");
    await attempt.refund();
    return account;
  }

  /** The same for an account without a password. */
  async function withFreshSession(id: string, token: string | undefined): Promise<Account> {
    if (!(await isFresh(id, token)))
      throw new Failure("FORBIDDEN", "Sign out and in again first, so that nobody else can do this.");
    return existing(id);
  }

  async function isFresh(id: string, token: string | undefined): Promise<boolean> {
    const age = token === undefined ? undefined : await directory.sessionAge(id, token);
    return age !== undefined && age <= FRESH_MS;
  }

  async function keepAnAdministrator(account: Account): Promise<void> {
    if (account.role !== "admin" || (await directory.countAdministrators()) > 1) return;
    if ((await directory.count()) === 1) return;
    throw new Failure(
      "CONFLICT",
      "This is the only administrator. Make somebody else an administrator first.",
    );
  }

  async function removeUser(id: string): Promise<void> {
    await suspensions.set(id, true);
    // If this process dies, the next one continues from here.
    await store.startErasure({ kind: "account", id });
    await directory.remove(id);
    await parts.removeOutside?.(id);
    await store.deleteUser(id);
    parts.onRemoved?.(id);
    // It stays suspended, for requests in progress and for outside tokens that are still valid.
    await suspensions.set(id, true);
  }

  function checkSetUpToken(given: string | undefined): void {
    if (!isSameSecret(given ?? "", parts.setUpToken)) throw noSetUpToken(given);
  }

  const provider =
    parts.provider && createProviderSignIn(parts, parts.provider, { exclusively, adopt, checkSetUpToken });

  return {
    get: directory.get,
    hasPassword: directory.hasPassword,
    passkeys: createPasskeys(parts, adopt),
    provider,
    signOut: directory.signOut,
    ...createOwnAccount(parts, adopt),

    async setUpToken() {
      return parts.signUp === "closed" || (await directory.count()) > 0 ? undefined : parts.setUpToken;
    },
    async signUp({ setupToken, ...request }, from) {
      await takeAttempt(store, `address ${from.address}`, "sign-up", NEW_ACCOUNTS_PER_ADDRESS);
      const signedIn = await exclusively(async () => {
        const first = (await directory.count()) === 0;
        if (parts.signUp === "closed" || (parts.signUp !== "open" && !first))
          throw new Failure("FORBIDDEN", "Only the administrator of this server can create accounts.");
        if (first) checkSetUpToken(setupToken);
        return directory.signUp(request, first ? "admin" : "user", from.agent);
      });
      await adopt(signedIn.account, from);
      return signedIn;
    },

    async signIn(request, from) {
      const attempt = await beginAttempt(store, request.email, from.address);
      const signedIn = await directory.signIn(request, from.agent);
      if (!signedIn) throw new Failure("UNAUTHORIZED", "The email address or the password is wrong.");
      await attempt.refund();
      if (await suspensions.has(signedIn.account.id)) {
        await directory.signOut(signedIn.token);
        throw suspensions.refusal();
      }
      await adopt(signedIn.account, from);
      return signedIn;
    },

    async changePassword(principal, { password, newPassword }, from) {
      const account = await withPassword(principal.id, password, from);
      await directory.setPassword(account.id, newPassword);
      const signedIn = await directory.signIn({ email: account.email, password: newPassword }, from.agent);
      if (!signedIn)
        throw new Failure("CONFLICT", "The password was changed again meanwhile. Sign in with the new one.");
      return signedIn;
    },

    async confirm({ id }, { password, token }, from) {
      if (password !== undefined) await withPassword(id, password, from);
      else if (!(await directory.hasPassword(id))) await withFreshSession(id, token);
      else if (!(await isFresh(id, token)))
        throw new Failure("FORBIDDEN", "Confirm with your password that it is you.", {
          details: { confirm: "password" },
        });
    },
    async leave(principal, { password, token }, from) {
      const account = (await directory.hasPassword(principal.id))
        ? await withPassword(principal.id, password ?? "", from)
        : await withFreshSession(principal.id, token);
      await exclusively(async () => {
        await keepAnAdministrator(await existing(account.id));
        await removeUser(account.id);
      });
    },

    async createKey(userId, request) {
      await existing(userId);
      return directory.createKey(userId, request);
    },
    async listKeys(userId) {
      return Promise.all((await directory.listKeys(userId)).map(withSpending));
    },
    async changeKey(userId, keyId, request) {
      const key = await directory.changeKey(userId, keyId, request);
      if (!key) throw new Failure("NOT_FOUND", "There is no such key.");
      return withSpending(key);
    },
    async revokeKey(userId, keyId) {
      if (!(await directory.revokeKey(userId, keyId)))
        throw new Failure("NOT_FOUND", "There is no such key.");
    },

    async list(page) {
      const accounts = await directory.list(page);
      const suspended = await suspensions.among(accounts.map(({ id }) => id));
      const users = accounts.map((account) => ({ ...account, suspended: suspended.has(account.id) }));
      return { users, total: await directory.count(page.query) };
    },
    async create({ role, ...request }) {
      const { account, token } = await exclusively(() => directory.signUp(request, role));
      await directory.vouchFor(account.id);
      await directory.signOut(token);
      return account;
    },
    async setRole(by, id, role) {
      await exclusively(async () => {
        const account = await existing(id);
        if (role === "user") await keepAnAdministrator(account);
        if (by.id === id && role === "user")
          throw new Failure("CONFLICT", "You cannot remove your own role. Another administrator can.");
        await directory.setRole(id, role);
      });
    },
    async setPassword(id, password) {
      if (!(await directory.setPassword(id, password)))
        throw new Failure("NOT_FOUND", "There is no such user.");
    },
    async suspend(by, id, suspended) {
      refuseSelf(by, id);
      if (isAccountId(id)) await existing(id);
      await suspensions.set(id, suspended);
    },
    async finishRemovals() {
      for (const { kind, id } of await store.unfinishedErasures())
        if (kind === "account") await removeUser(id);
    },
    async remove(by, id) {
      refuseSelf(by, id);
      if (isAccountId(id)) await existing(id);
      await removeUser(id);
    },
  };
}

/** Guests and users of an outside issuer have no account; their ids have a prefix. */
function isAccountId(id: string): boolean {
  return !/^(jwt:|guest_)/.test(id);
}

function noSetUpToken(given: string | undefined): Failure {
  const sentence = "The first account needs the set-up token that the server printed when it started";
  return new Failure(
    "FORBIDDEN",
    given === undefined ? `${sentence}. Open the link it printed.` : `${sentence}. This is another one.`,
    { details: { problem: "setup" satisfies ProviderProblem } },
  );
}

function refuseSelf(by: Principal, id: string): void {
  if (by.id === id)
    throw new Failure("CONFLICT", "You cannot do this to yourself. Another administrator can.");
}
