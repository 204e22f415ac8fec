import { expect, it } from "vitest";
import { temporaryStore } from "../store/testing/temporary.ts";
import { findSession, ownRun, ownSession } from "./ownership.ts";

const ada = { id: "ada", kind: "account" } as const;
const eve = { id: "eve", kind: "account" } as const;

it("returns a person's own session and refuses everybody else's", async () => {
  const store = await temporaryStore();
  await store.createSession({ id: "ses_1", userId: "ada", title: "Mine" });
  expect(await ownSession(store, ada, "ses_1")).toMatchObject({ id: "ses_1", title: "Mine" });
  await expect(ownSession(store, eve, "ses_1")).rejects.toMatchObject({
    code: "FORBIDDEN",
    publicMessage: "This session belongs to somebody else.",
  });
  for (const none of ["none", "ses_none", "not a name"])
    await expect(ownSession(store, ada, none)).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no such session.",
    });
});

it("finds a session by its name for the person who made the name up, and by an id of ours only for its owner", async () => {
  const store = await temporaryStore();
  await store.createSession({ id: "ses_1", userId: "ada", title: "Mine", name: "notes" });
  expect(await ownSession(store, ada, "notes")).toMatchObject({ id: "ses_1" });
  expect(await findSession(store, eve, "notes")).toBeUndefined();
  await expect(ownSession(store, eve, "notes")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(findSession(store, eve, "ses_1")).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(findSession(store, eve, "ses_2")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("says that there is no such run before it says whose it is", async () => {
  const store = await temporaryStore();
  await expect(ownRun(store, eve, "none")).rejects.toMatchObject({
    code: "NOT_FOUND",
    publicMessage: "There is no such run.",
  });
});
