import { beforeEach, describe, expect, it } from "vitest";
import { type LimitSettings, requestLimits } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createBudgets, createChatLimits, createUploadLimit } from "./allowances.ts";
import { createPersonalLimits } from "./personal-limits.ts";

const guest: Principal = { id: "guest_1", kind: "guest" };
const account: Principal = { id: "ada", kind: "account" };
const owner: Principal = { id: "local", kind: "owner" };
const known = { address: "192.0.2.1", guest: "known" as const };
const fresh = { address: "192.0.2.1", guest: "new" as const };
const settings: LimitSettings = {
  auth: "guest",
  requestLimits: requestLimits.parse({ chat: { guest: 2, account: 3 }, costUsd: { guest: 0, account: 5 } }),
};

let store: Store;

beforeEach(async () => {
  store = await temporaryStore();
});

describe("limits of chat requests", () => {
  const limits = () => createChatLimits(store, settings, createPersonalLimits(store));

  it("refuse a guest after the last request of the window", async () => {
    const { takeChat } = limits();
    expect(await takeChat(guest, known)).toMatchObject({ allowed: true, limit: 2, remaining: 1 });
    expect(await takeChat(guest, known)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await takeChat(guest, known)).toMatchObject({ allowed: false });
  });

  it("count new guests by their address, so that a new token does not reset them", async () => {
    const { takeChat } = limits();
    for (const id of ["a", "b"])
      expect(await takeChat({ id, kind: "guest" }, fresh)).toMatchObject({ allowed: true });
    expect(await takeChat({ id: "c", kind: "guest" }, fresh)).toMatchObject({ allowed: false });
    expect(await takeChat({ id: "c", kind: "guest" }, known)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it("count all guests at an address together, because every request returns a token", async () => {
    const requestLimits = { ...settings.requestLimits, guestsPerAddress: 2 };
    const { takeChat, refundChat } = createChatLimits(
      store,
      { ...settings, requestLimits },
      createPersonalLimits(store),
    );
    const ask = (id: string) => takeChat({ id, kind: "guest" }, known);
    for (const id of ["a", "a", "b", "c"]) expect(await ask(id)).toMatchObject({ allowed: true });
    expect(await ask("a")).toMatchObject({ allowed: false });
    expect(await ask("d")).toMatchObject({ allowed: false, limit: 4, remaining: 0 });
    expect(await takeChat({ id: "e", kind: "guest" }, { ...known, address: "192.0.2.2" })).toMatchObject({
      allowed: true,
    });
    await refundChat({ id: "c", kind: "guest" }, known);
    expect(await ask("d")).toMatchObject({ allowed: true });
  });

  it("give back a request that led to no run, for the address too", async () => {
    const { takeChat, refundChat } = limits();
    for (let turn = 0; turn < 5; turn++) {
      expect(await takeChat(guest, fresh)).toMatchObject({ allowed: true, remaining: 1 });
      await refundChat(guest, fresh);
    }
  });

  it("give guests nothing back for a request of somebody else at their address", async () => {
    const requestLimits = { ...settings.requestLimits, guestsPerAddress: 1 };
    const { takeChat, refundChat } = createChatLimits(
      store,
      { ...settings, requestLimits },
      createPersonalLimits(store),
    );
    const ask = async (id: string) => (await takeChat({ id, kind: "guest" }, known))?.allowed;
    expect([await ask("a"), await ask("b"), await ask("c")]).toEqual([true, true, false]);
    await refundChat(account, { address: known.address });
    await refundChat(owner, known);
    expect(await ask("c")).toBe(false);
    await refundChat({ id: "a", kind: "guest" }, known);
    expect(await ask("c")).toBe(true);
  });

  it("can be read without counting", async () => {
    const { takeChat, peekChat } = limits();
    await takeChat(account, known);
    for (let turn = 0; turn < 3; turn++)
      expect(await peekChat?.(account)).toMatchObject({ allowed: true, limit: 3, remaining: 2 });
  });

  it("do not apply to the owner, nor without sign-in", async () => {
    const open = createChatLimits(store, { ...settings, auth: "none" }, createPersonalLimits(store));
    for (let turn = 0; turn < 5; turn++) {
      expect(await limits().takeChat(owner, known)).toBeUndefined();
      expect(await open.takeChat(guest, fresh)).toBeUndefined();
    }
    await limits().refundChat(owner, fresh);
    expect(await limits().peekChat?.(owner)).toBeUndefined();
    expect(await open.peekChat?.(guest)).toBeUndefined();
  });

  it("follow a limit that an administrator set for one person, until it is removed", async () => {
    const personal = createPersonalLimits(store);
    await personal.change("ada", { chat: 1 });
    expect(await personal.of("ada")).toEqual({ chat: 1 });
    expect(await limits().takeChat(account, known)).toMatchObject({ allowed: true, limit: 1 });
    expect(await limits().takeChat(account, known)).toMatchObject({ allowed: false });
    expect(await personal.change("ada", { chat: null })).toEqual({});
    expect(await limits().takeChat(account, known)).toMatchObject({ allowed: true, limit: 3 });
  });
});

describe("the limit of uploads", () => {
  it("counts guests by address and tells them how many are allowed", async () => {
    const upload = createUploadLimit(store, settings);
    for (let turn = 0; turn < 50; turn++) await upload({ id: `g${turn}`, kind: "guest" }, known);
    await expect(upload(guest, known)).rejects.toMatchObject({
      code: "RATE_LIMITED",
      publicMessage: "You have uploaded all 50 files that are allowed for now.",
      details: { limit: 50, remaining: 0 },
    });
    await upload(account, known);
    await upload(owner, known);
    await createUploadLimit(store, { ...settings, auth: "none" })(guest, known);
  });
});

describe("budgets", () => {
  const spent = { within: 0, byKey: 0 };
  const asked: unknown[] = [];
  const budgets = (auth: LimitSettings["auth"] = "guest") =>
    createBudgets({
      store: {
        spentWithin: async (...args) => asked.push(args) && spent.within,
        spentByKey: async (...args) => asked.push(args) && spent.byKey,
      },
      config: { ...settings, auth },
      personal: createPersonalLimits(store),
    });

  it("are used up when a person has spent exactly the amount", async () => {
    spent.within = 4.99;
    expect(await budgets().usedUp(account)).toBeUndefined();
    spent.within = 5;
    expect(await budgets().usedUp(account)).toEqual({
      sentence: expect.stringContaining("what one person in 5 hours may cost is used up ($5)."),
      retryAfter: 3_600,
    });
    expect(asked.at(-1)).toEqual(["ada", 5 * 3_600_000]);
  });

  it("do not limit the owner, nor anyone without sign-in", async () => {
    expect(await budgets().ofPerson(owner)).toBeUndefined();
    expect(await budgets("none").ofPerson(account)).toBeUndefined();
    expect(await budgets().limited(owner)).toBe(false);
    expect(await budgets().limited(account)).toBe(true);
  });

  it.each([
    [undefined, "the budget of this API key is used up ($2). Its owner can raise it.", undefined, undefined],
    [1, "the budget of this API key a day is used up ($2).", 3_600, 86_400_000],
    [7, "the budget of this API key in 7 days is used up ($2).", 3_600, 7 * 86_400_000],
  ])("of an API key with %s days say so", async (days, sentence, retryAfter, within) => {
    const key = { id: "key_1", budget: { usd: 2, ...(days === undefined ? {} : { days }) } };
    spent.byKey = 1.99;
    expect(await budgets().usedUp({ ...owner, key })).toBeUndefined();
    spent.byKey = 2;
    const used = await budgets().usedUp({ ...owner, key });
    expect(used?.sentence).toContain(sentence);
    expect(used?.retryAfter).toBe(retryAfter);
    expect(asked.at(-1)).toEqual(["key_1", within]);
    expect(await budgets().limited({ ...owner, key })).toBe(true);
  });
});
