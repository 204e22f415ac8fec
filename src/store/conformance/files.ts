import { expect, test } from "vitest";
import { type StoreHarness, unique } from "./harness.ts";

/** Rows of files, and the bytes that belong to them. */
export function fileBehavior(harness: () => StoreHarness): void {
  const file = (
    changes: { userId?: string; sessionId?: string; size?: number; pageCount?: number } = {},
  ) => ({
    id: unique("file"),
    userId: "ada",
    name: "Café.png",
    mimeType: "image/png",
    size: 100,
    ...changes,
  });

  test("files are read back as they were added, newest first, by user or by session", async () => {
    const { store, advance } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    const upload = file();
    const made = file({ sessionId: "ses_1", pageCount: 12 });
    await store.addFile(upload, 1_000);
    advance(5);
    await store.addFile(made, 1_000);
    await store.addFile(file({ userId: "bob" }), 1_000);
    expect(await store.getFile(upload.id)).toEqual({ ...upload, createdAt: expect.any(String) });
    expect((await store.listFiles({ userId: "ada" }, 9)).map(({ id }) => id)).toEqual([made.id, upload.id]);
    expect(await store.listFiles({ sessionId: "ses_1" }, 9)).toMatchObject([made]);
    expect(await store.usedFileBytes("ada")).toBe(200);
    const reopened = await harness().reopen();
    expect(await reopened.getFile(made.id)).toMatchObject(made);
  });

  test("a quota is exact, even for concurrent uploads, and applies to one user only", async () => {
    const { store } = harness();
    const added = await Promise.all(Array.from({ length: 10 }, () => store.addFile(file(), 450)));
    expect(added.filter((one) => one !== undefined)).toHaveLength(4);
    expect(await store.usedFileBytes("ada")).toBe(400);
    expect(await store.addFile(file({ size: 50 }), 450)).toBeDefined();
    expect(await store.addFile(file({ size: 1 }), 450)).toBeUndefined();
    expect(await store.addFile(file({ userId: "bob" }), 450)).toBeDefined();
  });

  test("however a row is removed, its bytes are a leftover until they are forgotten", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    const [removed, ofSession, ofUser, kept] = [
      file(),
      file({ sessionId: "ses_1" }),
      file({ userId: "bob" }),
      file(),
    ];
    for (const one of [removed, ofSession, ofUser, kept]) await store.addFile(one, 1_000);
    await store.removeFile(removed.id);
    await store.deleteSession("ses_1");
    await store.deleteUser("bob");
    expect((await store.listFileLeftovers(9)).sort()).toEqual([removed.id, ofSession.id, ofUser.id].sort());
    expect(await store.listFileLeftovers(1)).toHaveLength(1);
    await store.forgetFileLeftover(removed.id);
    expect((await store.listFileLeftovers(9)).sort()).toEqual([ofSession.id, ofUser.id].sort());
    expect(await store.listFiles({ userId: "ada" }, 9)).toMatchObject([kept]);
  });

  test("bytes without a row become a leftover after a while", async () => {
    const { store, advance } = harness();
    const late = file();
    const whole = file();
    await store.expectFile(late.id, 1_000);
    await store.expectFile(whole.id, 1_000);
    expect(await store.listFileLeftovers(9)).toEqual([]);
    await store.addFile(whole, 1_000);
    advance(1_001);
    expect(await store.listFileLeftovers(9)).toEqual([late.id]);
  });

  test("a guest's uploads move to its account, and a deleted session accepts no file", async () => {
    const { store } = harness();
    const upload = file({ userId: "guest" });
    await store.addFile(upload, 1_000);
    await store.adoptUser("guest", "ada");
    expect(await store.getFile(upload.id)).toMatchObject({ userId: "ada" });
    await expect(store.addFile(file({ sessionId: "ses_gone" }), 1_000)).rejects.toThrow();
  });
}
