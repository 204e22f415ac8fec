import { expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createBreakers } from "./breaker.ts";
import { behindBreakers } from "./tool-breakers.ts";

const ada = { id: "ada", kind: "account" } as const;
const down = new Failure("UPSTREAM_ERROR", "It is down.", { retryable: true });

it("a service that keeps failing is left alone, and each failure names it", async () => {
  const behind = behindBreakers(createBreakers({ store: await temporaryStore() }), ada);
  expect(await behind("search.example", async () => 7)).toBe(7);
  const named = { details: { upstream: "search.example" } };
  const fail = () => behind("search.example", () => Promise.reject(down));
  let failures = 0;
  for (; failures < 20; failures++) {
    const thrown: unknown = await fail().catch((one: unknown) => one);
    expect(thrown).toMatchObject(named);
    if (thrown instanceof Failure && thrown.code === "BREAKER_OPEN") break;
  }
  expect(failures).toBeGreaterThan(1);
  expect(failures).toBeLessThan(20);
  let asked = false;
  await expect(
    behind("search.example", async () => {
      asked = true;
    }),
  ).rejects.toMatchObject({ code: "BREAKER_OPEN", ...named });
  expect(asked).toBe(false);
  expect(await behind("other.example", async () => "works")).toBe("works");
});

it("what is wrong with a request says nothing about the service", async () => {
  const behind = behindBreakers(createBreakers({ store: await temporaryStore() }), ada);
  const wrong = new Failure("INVALID_INPUT", "No such page.");
  for (let count = 0; count < 20; count++)
    await expect(behind("search.example", () => Promise.reject(wrong))).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  const bug = new TypeError("oops");
  await expect(behind("search.example", () => Promise.reject(bug))).rejects.toBe(bug);
});

it("a service is not asked if its breaker cannot be read", async () => {
  const store = await temporaryStore();
  const takeBreaker = () => Promise.reject(new Error("the disk is gone"));
  const behind = behindBreakers(createBreakers({ store: { ...store, takeBreaker } }), ada);
  await expect(behind("search.example", async () => "never")).rejects.toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    message: "A safety check could not be made, so the call was refused. Try again in a few seconds.",
  });
});
