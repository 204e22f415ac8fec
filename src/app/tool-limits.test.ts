import { beforeEach, expect, it } from "vitest";
import { exampleTool } from "../guard/testing/guarded.ts";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { loadConfig } from "./config.ts";
import { createToolLimits } from "./tool-limits.ts";

const config = loadConfig({
  env: { TACKLE_AUTH: "guest", TACKLE_LIMITS: '{"web_fetch":{"guest":1,"account":1}}' },
  cwd: import.meta.dirname,
});
const look = exampleTool("look", { limit: "web_fetch" });
const stranger = { address: "192.0.2.1", guest: "new" as const };

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

it("counts guests by address, and no other callers", async () => {
  const { takeByAddress } = createToolLimits(store, config, () => {});
  await takeByAddress(look, stranger);
  await expect(takeByAddress(look, stranger)).rejects.toMatchObject({ code: "RATE_LIMITED", status: 429 });
  expect(await takeByAddress(look, { address: stranger.address })).toBeUndefined();
  expect(await takeByAddress(exampleTool("get_time"), stranger)).toBeUndefined();
  expect(await takeByAddress(undefined, stranger)).toBeUndefined();
  await expect(takeByAddress(look, { ...stranger, address: "192.0.2.2" })).resolves.toBeDefined();
});

it("lets guests who have a token share a larger limit, so that a new token does not reset it", async () => {
  const limits = { ...config.requestLimits, guestsPerAddress: 3 };
  const { takeByAddress } = createToolLimits(store, { ...config, requestLimits: limits }, () => {});
  const guest = { ...stranger, guest: "known" as const };
  for (let call = 0; call < 3; call++) await expect(takeByAddress(look, guest)).resolves.toBeDefined();
  await expect(takeByAddress(look, guest)).rejects.toMatchObject({ code: "RATE_LIMITED", status: 429 });
});

it("refunds a use, and reports a refund that fails", async () => {
  const problems: unknown[] = [];
  const failing: Store = { ...store, refundLimit: () => Promise.reject(new Error("the disk is gone")) };
  const giveBack = await createToolLimits(failing, config, (thrown) => problems.push(thrown)).takeByAddress(
    look,
    stranger,
  );
  await giveBack?.();
  expect(problems).toHaveLength(1);
  await store.refundLimit("address 192.0.2.1", "web_fetch");
  const again = await createToolLimits(store, config, () => {}).takeByAddress(look, stranger);
  await again?.();
  await expect(
    createToolLimits(store, config, () => {}).takeByAddress(look, stranger),
  ).resolves.toBeDefined();
});

it("refuses new guests if it cannot count them", async () => {
  const failing: Store = { ...store, takeLimit: () => Promise.reject(new Error("the disk is gone")) };
  await expect(
    createToolLimits(failing, config, () => {}).takeByAddress(look, stranger),
  ).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED", status: 503, retryAfter: 5 });
});
