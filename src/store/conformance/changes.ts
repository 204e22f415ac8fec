import { expect, test } from "vitest";
import type { StoreHarness } from "./harness.ts";

/** Changes made by tools, and the data needed to undo them. */
export function changeBehavior(harness: () => StoreHarness): void {
  const change = (summary: string, toolCallId = "call_1") => ({
    sessionId: "ses_1",
    toolCallId,
    toolName: "filesystem",
    summary,
    reversible: true,
    data: { path: "é", kept: null },
    runId: "run_1",
  });

  test("changes are listed newest first until they are undone, even after a restart", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    for (const name of ["first", "second", "third"]) await store.recordChange(change(name));
    const [third] = await store.listChanges("ses_1");
    expect(third).toMatchObject({
      summary: "third",
      toolName: "filesystem",
      reversible: true,
      runId: "run_1",
      data: { path: "é", kept: null },
    });
    await store.markUndone(third?.id ?? 0);
    const reopened = await harness().reopen();
    expect((await reopened.listChanges("ses_1")).map(({ summary }) => summary)).toEqual(["second", "first"]);
  });

  test("stored bytes are read back unchanged, and are deleted with their session", async () => {
    const { store } = harness();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);
    const key = await store.keepBytes("ses_1", bytes);
    expect(Buffer.from((await store.loadBytes(key)) ?? []).equals(Buffer.from(bytes))).toBe(true);
    await store.recordChange(change("gone soon"));
    await store.deleteSession("ses_1");
    expect(await store.loadBytes(key)).toBeUndefined();
    expect(await store.listChanges("ses_1")).toEqual([]);
  });
}
