import { beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { GuardLayer } from "../protocol/guard.ts";
import type { Principal } from "../protocol/principal.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createBreakers } from "./breaker.ts";
import { allowanceOf, type LimitsOptions, limitsLayer } from "./limits.ts";
import { createGuard } from "./pipeline.ts";
import { policyFile } from "./policy.ts";
import { callThrough, contextOf, exampleTool, handClock } from "./testing/guarded.ts";

const guest: Principal = { id: "guest_1", kind: "guest" };
const account: Principal = { id: "ada", kind: "account" };
const owner: Principal = { id: "local", kind: "owner" };
const HOURS_5 = 5 * 60 * 60_000;
const table = {
  windowMs: HOURS_5,
  rows: {
    generate_image: { guest: 2, account: 25 },
    search: { guest: 3, account: 100 },
    web_fetch: { guest: 20, account: 200 },
  },
};
const image = exampleTool("generate_image");

let store: Store;
let clock: ReturnType<typeof handClock>;
beforeEach(async () => {
  clock = handClock();
  store = await temporaryStore({ now: clock.now });
});

function guardWith(change: Partial<LimitsOptions> = {}, behind: GuardLayer[] = []) {
  const facts: GuardFact[] = [];
  const note = (fact: GuardFact) => void facts.push(fact);
  const layers = limitsLayer({
    store,
    breakers: createBreakers({ store, now: clock.now }),
    throttle: { take: () => ({ allowed: true, retryAfter: 0 }) },
    table,
    note,
    ...change,
  });
  const guard = createGuard({
    policy: policyFile.parse({}),
    execution: { timeoutMs: 1_000, maxOutputCharacters: 1_000 },
    limits: [...layers, ...behind],
    note,
  });
  return { guard, facts };
}

const failureOf = (call: Promise<unknown>): Promise<Failure> =>
  call.then(
    () => Promise.reject(new Error("it was not refused")),
    (thrown: Failure) => thrown,
  );

describe("a budget in money", () => {
  const usedUp = { sentence: "The budget is used up.", retryAfter: 60 };
  const budgets = (found: typeof usedUp | undefined) => ({
    limited: async () => true,
    ofPerson: async () => 1,
    usedUp: async () => found,
  });

  it("refuses calls that may cost something before they count, and lets the rest pass", async () => {
    const { guard, facts } = guardWith({ budgets: budgets(usedUp) });
    const refused = await failureOf(callThrough(guard, image, contextOf(account)));
    expect(refused).toMatchObject({
      code: "RATE_LIMITED",
      publicMessage: usedUp.sentence,
      retryAfter: 60,
    });
    expect(facts.filter((fact) => fact.type === "limit")).toEqual([]);
    await callThrough(guard, exampleTool("get_time"), contextOf(account));
  });

  it("refuses the call if the store fails", async () => {
    const usedUp = () => Promise.reject(new Error("no database"));
    const broken = { ...budgets(undefined), usedUp };
    const { guard } = guardWith({ budgets: broken });
    const refused = await failureOf(callThrough(guard, image, contextOf(account)));
    expect(refused.cause).toMatchObject({ message: "no database" });
  });

  it("allows calls of people who have something left", async () => {
    const { guard } = guardWith({ budgets: budgets(undefined) });
    expect(await callThrough(guard, image, contextOf(account))).toBe("done");
  });
});

describe("limits of single people", () => {
  it("override the table for that person only", async () => {
    const personal = {
      applying: async ({ id }: { id: string }): Promise<Record<string, number>> =>
        id === "ada" ? { generate_image: 1 } : {},
    };
    const { guard } = guardWith({ personal });
    await callThrough(guard, image, contextOf(account));
    const refused = await failureOf(callThrough(guard, image, contextOf(account)));
    expect(refused).toMatchObject({ code: "RATE_LIMITED", details: { limit: 1 } });
    const bob: Principal = { id: "bob", kind: "account" };
    for (let count = 0; count < 2; count++) await callThrough(guard, image, contextOf(bob));
  });
});

describe("the allowance of a user", () => {
  it("admits exactly the limit of 200 calls at once", async () => {
    const { guard, facts } = guardWith({
      table: { ...table, rows: { generate_image: { guest: 37, account: 25 } } },
    });
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => callThrough(guard, image, contextOf(guest))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(37);
    const codes = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(codes).toEqual(Array(163).fill("RATE_LIMITED"));
    expect(facts.filter((fact) => fact.type === "call")).toHaveLength(37);
    expect(facts.filter((fact) => fact.type === "refusal")).toHaveLength(163);
    expect(facts.filter((fact) => fact.type === "limit" && fact.allowed)).toHaveLength(37);
  });

  it("reports which tool was refused, its limit, and when it is possible again", async () => {
    const { guard } = guardWith();
    const call = () => callThrough(guard, image, contextOf(guest));
    await call();
    clock.advance(60_000);
    await call();
    clock.advance(500);
    const failure = await failureOf(call());
    expect(failure).toMatchObject({
      code: "RATE_LIMITED",
      status: 429,
      retryable: true,
      retryAfter: HOURS_5 / 1000 - 60,
      publicMessage:
        "Rate limit exceeded for tool 'generate_image': 2 per 5 hours. Possible again at 2026-01-01T05:00:00.000Z.",
      details: { limit: 2, remaining: 0, reset_at: "2026-01-01T05:00:00.000Z" },
    });
    clock.advance(HOURS_5 - 60_500 - 1);
    expect((await failureOf(call())).retryAfter).toBe(1);
    clock.advance(1);
    expect(await call()).toBe("done");
  });

  it.each([
    ["a guest", guest, 2],
    ["an account", account, 25],
    ["the owner", owner, 40],
  ])("is that of %s", async (_, principal, admitted) => {
    const { guard } = guardWith();
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => callThrough(guard, image, contextOf(principal))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(admitted);
  });

  it("is shared by all search tools, and separate for each person", async () => {
    const { guard } = guardWith();
    const tools = ["browser.search", "web_search_exa", "web_search_searxng"].map((name) =>
      exampleTool(name, { limit: "search" }),
    );
    for (const tool of tools) await callThrough(guard, tool, contextOf(guest));
    for (const tool of tools) {
      expect(await failureOf(callThrough(guard, tool, contextOf(guest)))).toMatchObject({
        code: "RATE_LIMITED",
        publicMessage: expect.stringContaining(`'${tool.name}'`),
      });
    }
    const [first = image] = tools;
    expect(await callThrough(guard, first, contextOf({ id: "guest_2", kind: "guest" }))).toBe("done");
  });

  it("does not count tools without a row", async () => {
    const { guard, facts } = guardWith();
    for (let call = 0; call < 50; call++) await callThrough(guard, exampleTool("get_time"), contextOf(guest));
    expect(new Set(facts.map(({ type }) => type))).toEqual(new Set(["call"]));
  });

  it("is refunded when a later layer refuses, and when the call was cancelled before it began", async () => {
    const refusing = {
      name: "later",
      check: () => ({ allow: false as const, failure: new Failure("TOOL_DENIED", "No.") }),
    };
    const { guard } = guardWith({}, [refusing]);
    for (let call = 0; call < 5; call++) {
      expect(await failureOf(callThrough(guard, image, contextOf(guest)))).toMatchObject({
        code: "TOOL_DENIED",
      });
    }
    const stopped = AbortSignal.abort();
    const { guard: plain } = guardWith();
    for (let call = 0; call < 5; call++) {
      const context = contextOf(guest, { signal: stopped });
      expect(await failureOf(callThrough(plain, image, context))).toMatchObject({ code: "CANCELLED" });
    }
    expect(await store.takeLimit(guest.id, "generate_image", 2, HOURS_5)).toMatchObject({ remaining: 1 });
  });

  it("is used up by a call that ran and failed", async () => {
    const broken = exampleTool("generate_image", {
      run: () => {
        throw new Error("no");
      },
    });
    const { guard } = guardWith();
    const codes = [];
    for (let call = 0; call < 3; call++)
      codes.push(guard.clean(await failureOf(callThrough(guard, broken, contextOf(guest)))).code);
    expect(codes).toEqual(["TOOL_FAILED", "TOOL_FAILED", "RATE_LIMITED"]);
  });
});

describe("if a limit cannot be checked, the call is refused", () => {
  it.each([
    ["limits", { takeLimit: () => Promise.reject(new Error("the disk is gone")) }],
    ["breakers", { takeBreaker: () => Promise.reject(new Error("the disk is gone")) }],
  ])("when the store fails at %s", async (_, broken) => {
    const failing = { ...store, ...broken };
    let ran = false;
    const tool = exampleTool("generate_image", {
      run: () => {
        ran = true;
      },
    });
    const { guard } = guardWith({ store: failing, breakers: createBreakers({ store: failing }) });
    const failure = await failureOf(callThrough(guard, tool, contextOf(guest)));
    expect(failure).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      status: 503,
      retryAfter: 5,
      retryable: true,
    });
    expect(failure.publicMessage).not.toContain("disk");
    expect(ran).toBe(false);
  });

  it("when a tool names a row that does not exist", async () => {
    const { guard } = guardWith();
    const tool = exampleTool("odd", { limit: "nowhere" });
    expect(await failureOf(callThrough(guard, tool, contextOf(guest)))).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
    expect(await callThrough(guard, tool, contextOf(owner))).toBe("done");
  });

  it("a failed refund does not hide why the call was refused", async () => {
    const failing = { ...store, refundLimit: () => Promise.reject(new Error("the disk is gone")) };
    const refusing = {
      name: "later",
      check: () => ({ allow: false as const, failure: new Failure("TOOL_DENIED", "No.") }),
    };
    const { guard } = guardWith({ store: failing }, [refusing]);
    expect(await failureOf(callThrough(guard, image, contextOf(guest)))).toMatchObject({
      code: "TOOL_DENIED",
    });
  });
});

describe("the global throttle", () => {
  const full = { take: () => ({ allowed: false, retryAfter: 17 }) };

  it.each([
    ["goes out to the network", exampleTool("fetch_news", { effect: "network" })],
    ["has a limit", image],
    ["stays inside the process", exampleTool("get_time")],
  ])("refuses a tool that %s for every caller, before its allowance is used", async (_, tool) => {
    const { guard } = guardWith({ throttle: full });
    for (const principal of [guest, account, owner]) {
      expect(await failureOf(callThrough(guard, tool, contextOf(principal)))).toMatchObject({
        code: "API_THROTTLED",
        status: 503,
        retryAfter: 17,
      });
    }
    expect(await store.takeLimit(guest.id, "generate_image", 2, HOURS_5)).toMatchObject({ remaining: 1 });
  });

  it("is not called while a breaker is open", async () => {
    let asked = 0;
    const throttle = {
      take() {
        asked += 1;
        return { allowed: true, retryAfter: 0 };
      },
    };
    for (let failure = 0; failure < 3; failure++)
      await store.reportBreaker("tool:generate_image", { outcome: "failed", caller: "ada", alone: true });
    const { guard } = guardWith({ throttle });
    expect(await failureOf(callThrough(guard, image, contextOf(guest)))).toMatchObject({
      code: "BREAKER_OPEN",
    });
    expect(asked).toBe(0);
  });
});

it("grants nothing by a row that the table does not have, and limits no owner", () => {
  expect(allowanceOf("search", guest, table)).toBe(3);
  expect(allowanceOf("search", owner, table)).toBeUndefined();
  for (const row of ["serach", "constructor", "__proto__"])
    expect(() => allowanceOf(row, guest, table)).toThrow(`there is no limit "${row}"`);
});
