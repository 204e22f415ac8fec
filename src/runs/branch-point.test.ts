import { expect, it } from "vitest";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { branchPoint } from "./branch-point.ts";

/** A session of two answers to one question, and a question that nobody answered before the next one. */
async function imported(): Promise<Store> {
  const store = await temporaryStore();
  const message = (id: string, role: "user" | "assistant", parentId?: string) => ({
    id,
    role,
    parts: [{ type: "text" as const, text: id }],
    ...(parentId === undefined ? {} : { parentId }),
  });
  await store.importSession({
    id: "s",
    userId: "ada",
    title: "s",
    messages: [
      message("first", "assistant"),
      message("ask", "user", "first"),
      message("a1", "assistant", "ask"),
      message("a2", "assistant", "ask"),
      message("unanswered", "user", "a1"),
      message("again", "user", "unanswered"),
      message("more", "assistant", "a1"),
    ],
  });
  await store.importSession({
    id: "other",
    userId: "eve",
    title: "o",
    messages: [message("hers", "assistant")],
  });
  return store;
}

it("continues at the end unless the request names a place", async () => {
  const store = await imported();
  expect(await branchPoint(store, "s", { message: "Hi" })).toEqual({ parentId: undefined });
  expect(await branchPoint(store, "s", { parentId: null })).toEqual({ parentId: null });
  expect(await branchPoint(store, "s", { parentId: "a1" })).toEqual({ parentId: "a1" });
});

it("answers a question again, beside the answers that it has", async () => {
  const store = await imported();
  const point = { parentId: "ask", siblings: ["a1", "a2"] };
  expect(await branchPoint(store, "s", { regenerate: "a1" })).toEqual(point);
  await store.importSession({
    id: "only",
    userId: "ada",
    title: "o",
    messages: [
      { id: "q", role: "user", parts: [] },
      { id: "only answer", parentId: "q", role: "assistant", parts: [] },
    ],
  });
  expect(await branchPoint(store, "only", { regenerate: "only answer" })).toEqual({
    parentId: "q",
    siblings: ["only answer"],
  });
});

it.each(["ask", "first", "more"])("does not regenerate %s, which is no answer to a message", async (id) => {
  await expect(branchPoint(await imported(), "s", { regenerate: id })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    publicMessage: expect.stringContaining("regenerate must name an answer to a message"),
  });
});

it("continues after a question only where an import has one there", async () => {
  const store = await imported();
  expect(await branchPoint(store, "s", { parentId: "unanswered" })).toEqual({ parentId: "unanswered" });
  for (const parentId of ["ask", "again"])
    await expect(branchPoint(store, "s", { parentId })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage: expect.stringContaining("parentId must name an answer"),
    });
});

it("gives the same answer for a message of another session as for none", async () => {
  const store = await imported();
  for (const id of ["hers", "none"])
    for (const request of [{ parentId: id }, { regenerate: id }])
      await expect(branchPoint(store, "s", request)).rejects.toMatchObject({
        code: "NOT_FOUND",
        publicMessage: "There is no such message in this session.",
      });
});
