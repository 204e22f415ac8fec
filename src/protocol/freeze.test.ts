import { expect, it } from "vitest";
import { deepFreeze } from "./freeze.ts";

it("freezes everything in a value, also in lists that are longer than what a function can be given", () => {
  const numbers = Array.from({ length: 300_000 }, (_, at) => at);
  const root = deepFreeze({ numbers, nothing: undefined, inner: [{ a: {} }] });
  expect([root, root.numbers, root.inner[0], root.inner[0]?.a].every(Object.isFrozen)).toBe(true);
});
