import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { contentDelta } from "../../protocol/deltas.ts";
import { textMessage } from "../../protocol/messages.ts";
import { doneEvent, endOf, openedRun } from "../conformance/harness.ts";
import { openSqliteStore } from "../sqlite.ts";
import { copyInto, entriesOf } from "./copy.ts";
import type { Engine } from "./entries.ts";
import { openSqliteEngine } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-copy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NO_FILES = { keepFile: async () => {}, keepKey: async () => {} };

test("a single changed letter is detected by the session's hash, and nothing is committed", async () => {
  const [from, to] = [join(folder, "from.db"), join(folder, "to.db")];
  const source = await openSqliteStore({ path: from });
  for (const id of ["ses_1", "ses_2"])
    await source.createSession({ id, userId: "u", title: `Title of ${id}` });
  await source.close();
  await (await openSqliteStore({ path: to })).close();

  const copy = async (spoil: boolean) => {
    const [read, write] = [openSqliteEngine(from, "read"), openSqliteEngine(to, "write")];
    const spoiled: Engine = {
      ...write,
      insert: (table, rows) =>
        write.insert(
          table,
          rows.map((row) => row.map((value) => (value === "Title of ses_2" ? "Title of ses_3" : value))),
        ),
    };
    try {
      return await copyInto(spoil ? spoiled : write, entriesOf(read), NO_FILES, { empty: false });
    } finally {
      await read.close();
      await write.close();
    }
  };
  await expect(copy(true)).rejects.toThrow("1 differ: ses_2");
  expect(await copy(false)).toMatchObject({ sessions: 2 });
  const target = await openSqliteStore({ path: to });
  expect((await target.getSession("ses_2"))?.title).toBe("Title of ses_2");
  await target.close();
});

test("pending events and long requests of a running server are copied like the rest", async () => {
  const [from, to] = [join(folder, "busy.db"), join(folder, "quiet.db")];
  const source = await openSqliteStore({ path: from });
  const run = await openedRun(source, { request: { text: "x".repeat(100_000) } });
  // Enough events that some are stored in pages and others are still pending.
  const events = Array.from({ length: 300 }, (_, index) => JSON.stringify(contentDelta(`Word ${index}`)));
  for (const [index, json] of events.entries()) {
    const batch = { runId: run.id, epoch: run.epoch, firstSeq: index + 2, events: [json], steps: [] };
    await source.commit([batch], { durable: false });
  }
  await (await openSqliteStore({ path: to })).close();
  const [read, write] = [openSqliteEngine(from, "read"), openSqliteEngine(to, "write")];
  await copyInto(write, entriesOf(read), NO_FILES, { empty: false });
  await read.close();
  await write.close();
  const target = await openSqliteStore({ path: to });
  expect(await target.readEvents(run.id, 1, 1_000)).toEqual(
    events.map((json, index) => ({ seq: index + 2, json })),
  );
  expect(await target.getRun(run.id)).toMatchObject({ request: run.request });
  await Promise.all([source.close(), target.close()]);
});

test("branches are copied", async () => {
  const [from, to] = [join(folder, "branched.db"), join(folder, "copied.db")];
  const source = await openSqliteStore({ path: from });
  await source.createSession({ id: "s", userId: "u", title: "s" });
  for (const [name, parentId] of [["one"], ["two"], ["other", "answer one"]]) {
    const userMessage = textMessage(`ask ${name}`, "user", "?");
    const place = { sessionId: "s", newSession: undefined, userMessage, messageId: `answer ${name}` };
    const run = await openedRun(source, { ...place, ...(parentId ? { parentId } : {}) });
    await source.finishRun(endOf(run, 2, [doneEvent(run)]));
  }
  await source.showMessage("s", "ask two");
  const all = await source.listAllMessages("s");
  await source.close();
  await (await openSqliteStore({ path: to })).close();

  const [read, write] = [openSqliteEngine(from, "read"), openSqliteEngine(to, "write")];
  await copyInto(write, entriesOf(read), NO_FILES, { empty: false });
  await read.close();
  await write.close();
  const copied = await openSqliteStore({ path: to });
  expect(await copied.listAllMessages("s")).toEqual(all);
  const shown = (await copied.listMessages("s")).map(({ id }) => id);
  expect(shown).toEqual(["ask one", "answer one", "ask two", "answer two"]);
  await copied.close();
});
