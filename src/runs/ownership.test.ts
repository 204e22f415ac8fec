import { expect, it } from "vitest";
import { temporaryStore } from "../store/testing/temporary.ts";
import { ownRun, ownSession } from "./ownership.ts";

const ada = { id: "ada", kind: "account" } as const;
const eve = { id: "eve", kind: "account" } as const;

it("returns a person's own session and refuses everybody else's", async () => {
  const store = await temporaryStore();
  await store.createSession({ id: "s", userId: "ada", title: "Mine" });
  expect(await ownSession(store, ada, "s")).toMatchObject({ id: "s", title: "Mine" });
  await expect(ownSession(store, eve, "s")).rejects.toMatchObject({
    code: "FORBIDDEN",
    publicMessage: "This session belongs to somebody else.",
  });
  await expect(ownSession(store, ada, "none")).rejects.toMatchObject({
    code: "NOT_FOUND",
    publicMessage: "There is no such session.",
  });
});

it("says that there is no such run before it says whose it is", async () => {
  const store = await temporaryStore();
  await expect(ownRun(store, eve, "none")).rejects.toMatchObject({
    code: "NOT_FOUND",
    publicMessage: "There is no such run.",
  });
});
