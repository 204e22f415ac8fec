import { expect, test } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

test("what nothing refers to is gone after a collection", async () => {
  const gone = (() => new WeakRef({ large: new Array(1_000).fill(0) }))();
  expect(gone.deref()).toBeDefined();
  // An object that was looked at lives until the end of the turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(gone.deref()).toBeUndefined();
  expect(globalThis.gc).toBeUndefined();
});
