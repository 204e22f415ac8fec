import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../sqlite.ts";

const COUNT = 40;

test("a long conversation is read whole and in order, in more than one turn of the event loop", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-messages-"));
  const store = await openSqliteStore({ path: join(folder, "tackle.db") });
  try {
    const createdAt = "2026-01-01T00:00:00.000Z";
    await store.importSession({
      id: "ses_1",
      userId: "ada",
      title: "long",
      createdAt,
      updatedAt: createdAt,
      headId: `msg_${COUNT - 1}`,
      messages: Array.from({ length: COUNT }, (_, at) => ({
        id: `msg_${at}`,
        parentId: at === 0 ? undefined : `msg_${at - 1}`,
        role: "user",
        parts: [{ type: "text", text: "a".repeat(200_000) }],
        createdAt,
      })),
    });
    let turns = 0;
    const next = () => {
      turns++;
      immediate = setImmediate(next);
    };
    let immediate = setImmediate(next);
    const messages = await store.listMessages("ses_1");
    const all = await store.listAllMessages("ses_1");
    clearImmediate(immediate);
    expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: COUNT }, (_, at) => `msg_${at}`));
    expect(all).toEqual(messages);
    expect(messages.every(({ parts: [part] }) => part?.type === "text" && part.text.length === 200_000)).toBe(
      true,
    );
    expect(turns).toBeGreaterThan(1);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
