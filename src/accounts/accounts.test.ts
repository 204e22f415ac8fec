import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Principal } from "../protocol/principal.ts";
import { ADA, accountsFolder, BOB, FROM, openTestAccounts, type TestAccounts } from "./testing/accounts.ts";

let folder: ReturnType<typeof accountsFolder>;
let opened: TestAccounts;
beforeEach(async () => {
  folder = accountsFolder();
  opened = await openTestAccounts(folder.path);
});
afterEach(async () => {
  await opened.close();
  folder.remove();
});

async function reopen(signUp: "open" | "first" | "closed" = "open"): Promise<void> {
  await opened.close();
  opened = await openTestAccounts(folder.path, signUp);
}

const asAdmin = (id: string): Principal => ({ id, kind: "account", role: "admin" });

function queried(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder.path, "tackle.db"));
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

test("a person confirms who they are with a new sign-in or the password", async () => {
  const { accounts } = opened;
  const { token, account } = await accounts.signUp(ADA, FROM);
  const me = asAdmin(account.id);
  await accounts.confirm(me, { password: undefined, token }, FROM);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * 60_000 });
  try {
    await expect(accounts.confirm(me, { password: undefined, token }, FROM)).rejects.toMatchObject({
      code: "FORBIDDEN",
      details: { confirm: "password" },
    });
    await expect(accounts.confirm(me, { password: "wrong", token }, FROM)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    await accounts.confirm(me, { password: ADA.password, token }, FROM);
  } finally {
    vi.useRealTimers();
  }
});

describe("signing up and in", () => {
  test("the first account is an administrator, the next is not", async () => {
    const ada = await opened.accounts.signUp(ADA, FROM);
    const bob = await opened.accounts.signUp(BOB, FROM);
    expect(ada.account).toMatchObject({ email: ADA.email, name: "Ada", role: "admin" });
    expect(bob.account).toMatchObject({ role: "user" });
    expect(await opened.identify(ada.token)).toEqual(asAdmin(ada.account.id));
    expect(await opened.identify(bob.token)).toEqual({ id: bob.account.id, kind: "account" });
  });

  test("if many sign up at once, exactly one is an administrator", async () => {
    const emails = Array.from({ length: 8 }, (_, index) => `person${index}@example.com`);
    const all = await Promise.all(emails.map((email) => opened.accounts.signUp({ ...BOB, email }, FROM)));
    expect(all.filter(({ account }) => account.role === "admin")).toHaveLength(1);
  });

  test("a session survives a restart, and ends on sign-out", async () => {
    const { token, account } = await opened.accounts.signUp(ADA, FROM);
    await reopen();
    expect(await opened.identify(token)).toMatchObject({ id: account.id });
    expect(await opened.identify(undefined, { tackle_session: token })).toMatchObject({ id: account.id });
    const again = await opened.accounts.signIn(ADA, FROM);
    await opened.accounts.signOut(token);
    await expect(opened.identify(token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(await opened.identify(again.token)).toMatchObject({ id: account.id });
  });

  test("an expired session is refused", async () => {
    const { token } = await opened.accounts.signUp(ADA, FROM);
    queried(`UPDATE auth_sessions SET expiresAt = '${new Date(Date.now() - 1_000).toISOString()}'`);
    await expect(opened.identify(token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("a wrong password and an unknown email address get the same response", async () => {
    await opened.accounts.signUp(ADA, FROM);
    const wrong = await opened.accounts
      .signIn({ ...ADA, password: "wrong horse" }, FROM)
      .catch((error) => error);
    const unknown = await opened.accounts.signIn(BOB, FROM).catch((error) => error);
    expect(wrong).toMatchObject({ code: "UNAUTHORIZED" });
    expect([unknown.code, unknown.message, unknown.details]).toEqual([
      wrong.code,
      wrong.message,
      wrong.details,
    ]);
  });

  test("an email address that is taken is a conflict", async () => {
    await opened.accounts.signUp(ADA, FROM);
    await expect(opened.accounts.signUp({ ...BOB, email: ADA.email }, FROM)).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  test("the first account needs the set-up token, so that no stranger becomes the administrator", async () => {
    for (const setupToken of ["", "another token"])
      await expect(opened.accounts.signUp({ ...ADA, setupToken }, FROM)).rejects.toMatchObject({
        code: "FORBIDDEN",
      });
    const setupToken = await opened.accounts.setUpToken();
    expect(await opened.accounts.signUp({ ...ADA, setupToken }, FROM)).toMatchObject({
      account: { role: "admin" },
    });
    expect(await opened.accounts.setUpToken()).toBeUndefined();
    expect(await opened.accounts.signUp({ ...BOB, setupToken: "" }, FROM)).toMatchObject({
      account: { role: "user" },
    });
  });

  test("ten wrong passwords from one address lock it out of the account, but not its owner elsewhere", async () => {
    await opened.accounts.signUp(ADA, FROM);
    await opened.accounts.signUp(BOB, FROM);
    const guess = () => opened.accounts.signIn({ ...ADA, password: "a guess" }, FROM);
    for (let attempt = 0; attempt < 10; attempt++)
      await expect(guess()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    const refused = await opened.accounts.signIn(ADA, FROM).catch((error) => error);
    expect(refused).toMatchObject({ code: "RATE_LIMITED", status: 429 });
    expect(refused.retryAfter).toBeGreaterThan(800);
    expect(await opened.accounts.signIn(ADA, { address: "198.51.100.7" })).toBeDefined();
    expect(await opened.accounts.signIn(BOB, FROM)).toBeDefined();
  });

  test("a client that tries many accounts from one IP address is locked out too", async () => {
    const guess = (index: number) =>
      opened.accounts.signIn({ email: `person${index}@example.com`, password: "a guess" }, FROM);
    const outcomes = [];
    for (let index = 0; index < 31; index++) outcomes.push(await guess(index).catch((error) => error.code));
    expect(outcomes).toEqual([...Array(30).fill("UNAUTHORIZED"), "RATE_LIMITED"]);
  });

  test("right passwords are not counted", async () => {
    await opened.accounts.signUp(ADA, FROM);
    for (let time = 0; time < 12; time++) await opened.accounts.signIn(ADA, FROM);
  });

  test("if only the first user can sign up, an administrator creates the others", async () => {
    await reopen("first");
    const ada = await opened.accounts.signUp(ADA, FROM);
    await expect(opened.accounts.signUp(BOB, FROM)).rejects.toMatchObject({ code: "FORBIDDEN" });
    const bob = await opened.accounts.create({ ...BOB, role: "user" });
    expect((await opened.accounts.signIn(BOB, FROM)).account).toEqual(bob);
    expect(ada.account.role).toBe("admin");
    await reopen("closed");
    await expect(opened.accounts.signUp({ ...BOB, email: "eve@example.com" }, FROM)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("the stored data", () => {
  test("grants no access: passwords and keys are hashed, and a session's row is not its token", async () => {
    const { token, account } = await opened.accounts.signUp(ADA, FROM);
    const { key } = await opened.accounts.createKey(account.id, { name: "laptop" });
    const [row] = queried("SELECT token FROM auth_sessions");
    await expect(opened.identify(String(row?.token))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    const files = ["tackle.db", "tackle.db-wal"].map((name) =>
      readFileSync(join(folder.path, name), "latin1"),
    );
    for (const secret of [ADA.password, key, token])
      for (const file of files) expect(file.includes(secret)).toBe(false);
  });
});

describe("a guest who signs up or in", () => {
  const guest: Principal = { id: "guest_AAAAAAAAAAAAAAAAAAAAAA", kind: "guest" };

  test("keeps sessions and settings, including stored keys", async () => {
    const { store, personalSettings, accounts } = opened;
    await store.createSession({ id: "s1", userId: guest.id, title: "As a guest" });
    await personalSettings.change(guest.id, {
      settings: { theme: "dark" },
      keys: { openai: "sk-of-the-guest" },
    });
    const { account } = await accounts.signUp(ADA, { ...FROM, guest });
    expect((await store.listSessions(account.id, { limit: 9 })).map(({ id }) => id)).toEqual(["s1"]);
    expect(await personalSettings.keysOf(account.id)).toEqual({ openai: "sk-of-the-guest" });
    expect((await personalSettings.read(account.id)).settings).toEqual({ theme: "dark" });
    expect(await store.getSettings(guest.id)).toEqual({});

    await store.createSession({ id: "s2", userId: guest.id, title: "As a guest again" });
    await personalSettings.change(guest.id, {
      settings: {},
      keys: { openai: "sk-another-one", zai: "zk-of-guest" },
    });
    await accounts.signIn(ADA, { ...FROM, guest });
    expect(await store.listSessions(account.id, { limit: 9 })).toHaveLength(2);
    expect(await personalSettings.keysOf(account.id)).toEqual({
      openai: "sk-of-the-guest",
      zai: "zk-of-guest",
    });
  });

  test("keeps nothing after a wrong password, or if the guest is suspended", async () => {
    const { store, accounts, suspensions } = opened;
    const { account } = await accounts.signUp(ADA, FROM);
    await store.createSession({ id: "s1", userId: guest.id, title: "As a guest" });
    await accounts.signIn({ ...ADA, password: "wrong" }, { ...FROM, guest }).catch(() => undefined);
    await suspensions.set(guest.id, true);
    await accounts.signIn(ADA, { ...FROM, guest });
    expect(await store.listSessions(account.id, { limit: 9 })).toEqual([]);
    expect(await suspensions.has(account.id)).toBe(false);
  });
});

describe("API keys", () => {
  test("are shown once, listed by their last characters, and sign their user in without a role", async () => {
    const { accounts } = opened;
    const { account } = await accounts.signUp(ADA, FROM);
    const made = await accounts.createKey(account.id, { name: "laptop", expiresInDays: 30 });
    expect(made.key).toMatch(/^tk_\w{64}$/);
    expect(await opened.identify(made.key)).toEqual({
      id: account.id,
      kind: "account",
      key: { id: made.id, scopes: ["chat", "tools", "files"] },
    });
    const [listed] = await accounts.listKeys(account.id);
    expect(listed).toMatchObject({ id: made.id, name: "laptop", lastFour: made.key.slice(-4) });
    expect(Date.parse(listed?.expiresAt ?? "")).toBeGreaterThan(Date.now() + 29 * 24 * 3600_000);
    expect(JSON.stringify(listed)).not.toContain(made.key.slice(3, 20));
  });

  test("end when their own user revokes them", async () => {
    const { accounts } = opened;
    const ada = await accounts.signUp(ADA, FROM);
    const bob = await accounts.signUp(BOB, FROM);
    const { id, key } = await accounts.createKey(ada.account.id, { name: "" });
    await expect(accounts.revokeKey(bob.account.id, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await opened.identify(key)).toBeDefined();
    await accounts.revokeKey(ada.account.id, id);
    await expect(opened.identify(key)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(await accounts.listKeys(ada.account.id)).toEqual([]);
  });

  test("end when they expire", async () => {
    const { accounts } = opened;
    const { account } = await accounts.signUp(ADA, FROM);
    const { key } = await accounts.createKey(account.id, { name: "", expiresInDays: 1 });
    queried(`UPDATE auth_keys SET expiresAt = '${new Date(Date.now() - 1_000).toISOString()}'`);
    await expect(opened.identify(key)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  test("are refused if they are unknown, whatever the cookie", async () => {
    const { token } = await opened.accounts.signUp(ADA, FROM);
    for (const bearer of ["tk_", "tk_nothing", `tk_${"a".repeat(64)}`, "something"]) {
      const identified = opened.identify(bearer, { tackle_session: token });
      await expect(identified).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    }
  });
});

describe("administrators", () => {
  test("suspend and readmit users, and end what is in progress", async () => {
    const { accounts, suspensions, ended } = opened;
    const ada = await accounts.signUp(ADA, FROM);
    const bob = await accounts.signUp(BOB, FROM);
    const by = asAdmin(ada.account.id);
    await accounts.suspend(by, bob.account.id, true);
    expect(ended).toEqual([bob.account.id]);
    await expect(suspensions.admit(bob.account)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(accounts.signIn(BOB, FROM)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(accounts.signIn({ ...BOB, password: "wrong" }, FROM)).rejects.toMatchObject({
      code: "UNAUTHORIZED",
    });
    expect((await accounts.list({ limit: 9, offset: 0 })).users.map(({ suspended }) => suspended)).toEqual([
      false,
      true,
    ]);
    await accounts.suspend(by, bob.account.id, false);
    await suspensions.admit(bob.account);
    expect(await accounts.signIn(BOB, FROM)).toBeDefined();
  });

  test("suspend guests and JWT users by id, but no unknown user and not themselves", async () => {
    const { accounts, suspensions } = opened;
    const { account } = await accounts.signUp(ADA, FROM);
    const by = asAdmin(account.id);
    for (const id of ["jwt:u1", "guest_AAAAAAAAAAAAAAAAAAAAAA"]) {
      await accounts.suspend(by, id, true);
      expect(await suspensions.has(id)).toBe(true);
      await accounts.remove(by, id);
      expect(await suspensions.has(id)).toBe(true);
    }
    await expect(accounts.suspend(by, "nobody", true)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(accounts.suspend(by, account.id, true)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(accounts.remove(by, account.id)).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("delete a user with all data and credentials", async () => {
    const { accounts, store } = opened;
    const ada = await accounts.signUp(ADA, FROM);
    const bob = await accounts.signUp(BOB, FROM);
    const { key } = await accounts.createKey(bob.account.id, { name: "" });
    await store.createSession({ id: "s", userId: bob.account.id, title: "s" });
    await accounts.remove(asAdmin(ada.account.id), bob.account.id);
    expect(await store.getSession("s")).toBeUndefined();
    for (const credential of [bob.token, key])
      await expect(opened.identify(credential)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await expect(accounts.signIn(BOB, FROM)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    for (const table of ["auth_users", "auth_accounts", "auth_sessions"])
      expect(queried(`SELECT * FROM ${table}`)).toHaveLength(1);
    expect(queried("SELECT * FROM auth_keys")).toEqual([]);
  });

  test("always remain: the only one can neither leave nor step down while there are other users", async () => {
    const { accounts } = opened;
    const ada = await accounts.signUp(ADA, FROM);
    const bob = await accounts.signUp(BOB, FROM);
    const by = asAdmin(ada.account.id);
    await expect(
      accounts.leave(by, { password: ADA.password, token: undefined }, FROM),
    ).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(accounts.setRole(by, ada.account.id, "user")).rejects.toMatchObject({ code: "CONFLICT" });
    await accounts.setRole(by, bob.account.id, "admin");
    expect(await opened.identify(bob.token)).toMatchObject({ role: "admin" });
    await accounts.leave(by, { password: ADA.password, token: undefined }, FROM);
    expect((await accounts.list({ limit: 9, offset: 0 })).users).toHaveLength(1);
  });
});

test("changing the password requires the old one, and ends every session but the new one", async () => {
  const { accounts } = opened;
  const { account, token } = await accounts.signUp(ADA, FROM);
  const me = asAdmin(account.id);
  const change = (password: string) =>
    accounts.changePassword(me, { password, newPassword: "another horse" }, FROM);
  await expect(change("wrong")).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await opened.identify(token)).toBeDefined();
  const changed = await change(ADA.password);
  await expect(opened.identify(token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(await opened.identify(changed.token)).toEqual(me);
  await expect(accounts.signIn(ADA, FROM)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  await accounts.setPassword(account.id, ADA.password);
  await expect(opened.identify(changed.token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(await accounts.signIn(ADA, FROM)).toBeDefined();
  await expect(accounts.setPassword("nobody", ADA.password)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("deleting one's own account requires the password", async () => {
  const { accounts, store } = opened;
  const { account, token } = await accounts.signUp(ADA, FROM);
  await store.createSession({ id: "s", userId: account.id, title: "s" });
  const me = asAdmin(account.id);
  await expect(accounts.leave(me, { password: "wrong", token: undefined }, FROM)).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  expect(await opened.identify(token)).toBeDefined();
  await accounts.leave(me, { password: ADA.password, token: undefined }, FROM);
  await expect(opened.identify(token)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(await store.getSession("s")).toBeUndefined();
});
