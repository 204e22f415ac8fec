import { createHash } from "node:crypto";
import type { Account, Accounts, ApiKey, ListedKey, Visitor } from "../protocol/accounts.ts";
import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import type { Directory } from "./directory.ts";
import type { PersonalSettingsAndKeys } from "./personal-settings.ts";
import type { Suspensions } from "./suspensions.ts";

export interface AccountsParts {
  store: Store;
  directory: Directory;
  suspensions: Suspensions;
  personalSettings: PersonalSettingsAndKeys;
  /** `first`: only the first account signs itself up, which then administers. */
  signUp: "open" | "first" | "closed";
  /** Called when all rows of a user are gone. */
  onRemoved?(): void;
}

const DAY_MS = 86_400_000;
const ATTEMPTS_WINDOW_MS = 15 * 60_000;
const ATTEMPTS_AN_EMAIL = 10;
const ATTEMPTS_AN_ADDRESS = 30;
const NEW_ACCOUNTS_AN_ADDRESS = 100;

/** Accounts with all their rules: who may sign up, how often one may try, and what becomes of what was somebody's. */
export function createAccounts(parts: AccountsParts): Accounts {
  const { store, directory, suspensions, personalSettings } = parts;
  let waiting: Promise<unknown> = Promise.resolve();

  /** One after the other, on all instances: only one can be the first account, and somebody stays administrator. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const alone = async () => {
      const done: Result[] = [];
      await directory.withSchemaLock(async () => void done.push(await work()));
      return done[0] as Result;
    };
    // Here too, so that those who wait hold no more than one connection.
    const mine = waiting.then(alone, alone);
    waiting = mine.catch(() => undefined); // Told to whoever asked; the next one starts all the same.
    return mine;
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

  /** The account, once its password was shown again. */
  async function checkedAgain(id: string, password: string, from: Visitor): Promise<Account> {
    const account = await existing(id);
    const attempt = await beginAttempt(store, account.email, from.address);
    if (!(await directory.checkPassword(id, password)))
      throw new Failure("FORBIDDEN", "The password is not right, so nothing was changed.");
    await attempt.forgive();
    return account;
  }

  async function keepAnAdministrator(account: Account): Promise<void> {
    if (account.role !== "admin" || (await directory.countAdministrators()) > 1) return;
    if ((await directory.count()) === 1) return;
    throw new Failure("CONFLICT", "This is the only administrator. Make somebody else one first.");
  }

  async function removeUser(id: string): Promise<void> {
    await suspensions.set(id, true);
    await directory.remove(id);
    await store.deleteUser(id);
    parts.onRemoved?.();
    // Stays behind, for requests that were under way and for outside tokens that go on being valid.
    await suspensions.set(id, true);
  }

  return {
    get: directory.get,
    signOut: directory.signOut,

    async signUp(request, from) {
      await takeAttempt(store, `address ${from.address}`, "sign-up", NEW_ACCOUNTS_AN_ADDRESS);
      const signedIn = await inTurn(async () => {
        const first = (await directory.count()) === 0;
        if (parts.signUp === "closed" || (parts.signUp === "first" && !first))
          throw new Failure("FORBIDDEN", "Accounts are made by the administrator of this server.");
        return directory.signUp(request, first ? "admin" : "user");
      });
      await adopt(signedIn.account, from);
      return signedIn;
    },

    async signIn(request, from) {
      const attempt = await beginAttempt(store, request.email, from.address);
      const signedIn = await directory.signIn(request);
      if (!signedIn) throw new Failure("UNAUTHORIZED", "The e-mail address or the password is not right.");
      await attempt.forgive();
      if (await suspensions.has(signedIn.account.id)) {
        await directory.signOut(signedIn.token);
        throw suspensions.refusal();
      }
      await adopt(signedIn.account, from);
      return signedIn;
    },

    async changePassword(principal, { password, newPassword }, from) {
      const account = await checkedAgain(principal.id, password, from);
      await directory.setPassword(account.id, newPassword);
      const signedIn = await directory.signIn({ email: account.email, password: newPassword });
      if (!signedIn)
        throw new Failure("CONFLICT", "The password was changed again meanwhile. Sign in with it.");
      return signedIn;
    },

    async leave(principal, password, from) {
      const account = await checkedAgain(principal.id, password, from);
      await inTurn(async () => {
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
      const users = await Promise.all(
        accounts.map(async (account) => ({ ...account, suspended: await suspensions.has(account.id) })),
      );
      return { users, total: await directory.count(page.query) };
    },
    async create({ role, ...request }) {
      const { account, token } = await inTurn(() => directory.signUp(request, role));
      await directory.signOut(token);
      return account;
    },
    async setRole(by, id, role) {
      await inTurn(async () => {
        const account = await existing(id);
        if (role === "user") await keepAnAdministrator(account);
        if (by.id === id && role === "user")
          throw new Failure("CONFLICT", "You cannot take your own role away. Another administrator can.");
        await directory.setRole(id, role);
      });
    },
    async setPassword(id, password) {
      if (!(await directory.setPassword(id, password)))
        throw new Failure("NOT_FOUND", "There is no such user.");
    },
    async suspend(by, id, suspended) {
      refuseOneself(by, id);
      if (isAccountId(id)) await existing(id);
      await suspensions.set(id, suspended);
    },
    async remove(by, id) {
      refuseOneself(by, id);
      if (isAccountId(id)) await existing(id);
      await removeUser(id);
    },
  };
}

/** Guests and users of an outside issuer have no account with us, but an id that tells what they are. */
function isAccountId(id: string): boolean {
  return !/^(jwt:|guest_)/.test(id);
}

function refuseOneself(by: Principal, id: string): void {
  if (by.id === id)
    throw new Failure("CONFLICT", "You cannot do this to yourself. Another administrator can.");
}

/** Counts one attempt for the address and one for the e-mail address; a right password gives both back. */
async function beginAttempt(store: Store, email: string, address: string) {
  const subjects = [
    [`address ${address}`, ATTEMPTS_AN_ADDRESS],
    // A hash, so that no list of addresses grows out of typing errors.
    [`email ${createHash("sha256").update(email).digest("base64url")}`, ATTEMPTS_AN_EMAIL],
  ] as const;
  for (const [subject, limit] of subjects) await takeAttempt(store, subject, "sign-in", limit);
  return {
    async forgive(): Promise<void> {
      for (const [subject] of subjects) await store.refundLimit(subject, "sign-in");
    },
  };
}

async function takeAttempt(store: Store, subject: string, name: string, limit: number): Promise<void> {
  const verdict = await store.takeLimit(subject, name, limit, ATTEMPTS_WINDOW_MS);
  if (verdict.allowed) return;
  const { retryAfter, resetAt, remaining } = verdict;
  const minutes = Math.ceil(retryAfter / 60);
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  throw new Failure("RATE_LIMITED", `Too many attempts. Try again in ${wait}.`, {
    retryAfter,
    details: { limit, remaining, resetAt },
  });
}
