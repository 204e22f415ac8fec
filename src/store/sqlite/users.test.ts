import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";

test("adopting and deleting cover every table that belongs to users", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-users-"));
  const database = openDatabase(join(folder, "tackle.db"));
  try {
    const tables = database
      .prepare<{ name: string }>(
        `SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
         WHERE m.type = 'table' AND c.name IN ('user_id', 'subject') ORDER BY m.name`,
      )
      .all();
    expect(tables.map(({ name }) => name)).toEqual([
      "account_events",
      "account_feeds",
      "artifacts",
      "files",
      "runs",
      "sessions",
      "tool_uses",
      "usage",
      "user_settings",
      "user_tool_rate_limits",
    ]);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
