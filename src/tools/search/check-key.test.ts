import { afterEach, describe, expect, test } from "vitest";
import { type SearchStandIn, STAND_IN_KEY, startSearch } from "../../sim/testing/search.ts";
import { refusingUrl } from "../../sim/upstream.ts";
import { checkSearchKey } from "./check-key.ts";

const started: SearchStandIn[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.close()));
});

const signal = new AbortController().signal;

describe.each(["tavily", "exa"] as const)("a key of %s", (vendor) => {
  async function check(key: string | undefined, status?: number, own: Record<string, string> = {}) {
    const search = await startSearch(vendor);
    started.push(search);
    if (status !== undefined) search.failAlways({ status });
    const checked = await checkSearchKey(vendor, key, { ...search.settings, ...own }, signal);
    return { ...checked, asked: search.requests.length };
  }

  test("is tried with one request", async () => {
    expect(await check(STAND_IN_KEY)).toEqual({ result: "works", asked: 1 });
    expect(await check("mistyped")).toEqual({ result: "refused", asked: 1 });
    expect(await check(undefined)).toEqual({ result: "works", asked: 1 });
  });

  test("may be used up, or its service busy or silent", async () => {
    expect(await check(STAND_IN_KEY, vendor === "tavily" ? 432 : 402)).toMatchObject({ result: "exhausted" });
    expect(await check(STAND_IN_KEY, 429)).toMatchObject({ result: "busy" });
    expect(await check(STAND_IN_KEY, 503)).toMatchObject({ result: "busy" });
    const gone = { [`${vendor.toUpperCase()}_BASE_URL`]: await refusingUrl() };
    expect(await check(STAND_IN_KEY, undefined, gone)).toEqual({ result: "unreachable", asked: 0 });
  });
});

test("a service without keys has nothing to try", async () => {
  expect(await checkSearchKey("duckduckgo", "key", {}, signal)).toEqual({ result: "unknown" });
  expect(await checkSearchKey("nobody", "key", {}, signal)).toEqual({ result: "unknown" });
});
