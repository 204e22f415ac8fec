import { expect, it } from "vitest";
import { covered } from "../../bench/always/covered.ts";
import { pairs, SIBLINGS } from "../../bench/always/pairs.ts";

it("lets no relative that destroys something run after “always” for a harmless command", () => {
  expect(covered(pairs())).toEqual([]);
});

it("covers what it was meant for", () => {
  expect(covered(SIBLINGS)).toEqual(SIBLINGS);
});
