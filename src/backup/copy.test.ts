import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openSqliteStore } from "../store/sqlite.ts";
import { copyInto, entriesOf } from "./copy.ts";
import type { Engine } from "./entries.ts";
import { openSqliteEngine } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-copy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOTHING_BESIDE = { keepFile: async () => {}, keepKey: async () => {} };

test("one changed letter on the way is noticed by the session's hash, and nothing is committed", async () => {
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
      return await copyInto(spoil ? spoiled : write, entriesOf(read), NOTHING_BESIDE, { empty: false });
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
