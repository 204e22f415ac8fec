import { afterEach, expect, it, vi } from "vitest";
import type { GuardedCall, Verdict } from "../protocol/guard.ts";
import { admitAll, ask } from "./layers.ts";
import { contextOf, exampleTool } from "./testing/guarded.ts";

const call: GuardedCall = {
  tool: exampleTool("get_time"),
  args: {},
  context: contextOf({ id: "local", kind: "owner" }),
};
afterEach(() => {
  vi.useRealTimers();
});

it("a layer that does not answer refuses the call, and what it counts too late is refunded", async () => {
  vi.useFakeTimers();
  const answer = Promise.withResolvers<Verdict>();
  const refunded = Promise.withResolvers<void>();
  const asked = ask({ name: "slow", check: () => answer.promise }, call);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await asked).toMatchObject({
    allow: false,
    failure: { code: "RESOURCE_EXHAUSTED", status: 503, retryAfter: 5 },
  });
  answer.resolve({ allow: true, refund: async () => refunded.resolve() });
  await refunded.promise;
});

it.each([
  ["at once", () => fail()],
  ["later", async () => fail()],
])("a layer that throws %s refuses the call", async (_, check) => {
  expect(await ask({ name: "broken", check }, call)).toMatchObject({
    allow: false,
    failure: { code: "RESOURCE_EXHAUSTED" },
  });
});

it("every layer before the one that refuses is refunded, even if one refund fails", async () => {
  const given: string[] = [];
  const counting = (name: string, refund: () => Promise<void>) => ({
    name,
    check: (): Verdict => ({ allow: true, refund }),
  });
  const outcome = await admitAll(
    [
      counting("first", async () => void given.push("first")),
      counting("second", async () => fail()),
      counting("third", async () => void given.push("third")),
      { name: "last", check: () => fail() },
    ],
    call,
  );
  expect(outcome).toMatchObject({ refused: { code: "RESOURCE_EXHAUSTED" } });
  expect(given).toEqual(["first", "third"]);
});

function fail(): never {
  throw new Error("it broke");
}
