import { expect, it } from "vitest";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createModelOffers } from "./model-offers.ts";

it("a person is offered what their role is, unless they have their own offer", async () => {
  const offers = createModelOffers(await temporaryStore());
  const ada = { id: "ada", kind: "account" } as const;
  expect(await offers.to(ada)).toEqual({});
  await offers.changeRole("account", { models: ["a/one", "a/two", "a/one"], default: "a/two" });
  expect(await offers.ofRole("account")).toEqual({ models: ["a/one", "a/two"], default: "a/two" });
  expect(await offers.ofRole("guest")).toEqual({});
  expect(await offers.to(ada)).toEqual({ models: ["a/one", "a/two"], default: "a/two" });
  expect(await offers.changePerson("ada", { default: "a/one" })).toEqual({ default: "a/one" });
  expect(await offers.to(ada)).toEqual({ models: ["a/one", "a/two"], default: "a/one" });
  expect(await offers.to({ id: "local", kind: "owner" })).toEqual({});
  expect(await offers.ofEach(["ada", "eve"])).toEqual(new Map([["ada", { default: "a/one" }]]));
  expect(await offers.changePerson("ada", {})).toEqual({});
  expect(await offers.ofPerson("ada")).toEqual({});
  expect(await offers.ofEach(["ada"])).toEqual(new Map());
});
