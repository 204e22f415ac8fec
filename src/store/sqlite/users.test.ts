import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runToOpen } from "../conformance/harness.ts";
import { openSqliteStore } from "../sqlite.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { usersOf } from "./users.ts";

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
      "feedback",
      "files",
      "mcp_tasks",
      "memories",
      "project_members",
      "projects",
      "runs",
      "sessions",
      "shares",
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

test("adopting many sessions of one time looks at each time once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-users-"));
  const database = openDatabase(join(folder, "tackle.db"));
  let looks = 0;
  const counting: Database = {
    ...database,
    prepare<Row>(sql: string) {
      const statement = database.prepare<Row>(sql);
      return {
        ...statement,
        get(...values: Parameters<typeof statement.get>) {
          looks++;
          return statement.get(...values);
        },
      };
    },
  };
  const insert = database.prepare(
    "INSERT INTO sessions (id, user_id, title, created_at, updated_at) VALUES (?, ?, '', 1000, ?)",
  );
  try {
    for (let at = 0; at < 300; at++) insert.run(`old${at}`, "account", 1_000 + at);
    for (let at = 0; at < 100; at++) insert.run(`new${at}`, "guest", 1_000 + at);
    await usersOf(counting).adoptUser("guest", "account");
    const times = database.prepare<{ updated_at: number }>(
      "SELECT updated_at FROM sessions WHERE user_id = 'account'",
    );
    expect(new Set(times.all().map(({ updated_at }) => updated_at)).size).toBe(400);
    expect(looks).toBeLessThan(500);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});

test("adopting runs does not write their long requests again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tackle-users-"));
  const store = await openSqliteStore({ dataDir: folder });
  const logBytes = () => statSync(join(folder, "tackle.db-wal")).size;
  try {
    const open = runToOpen({ userId: "guest", request: { text: "x".repeat(1_000_000) } });
    await store.openRun(open);
    const before = logBytes();
    await store.adoptUser("guest", "account");
    expect(await store.getRun(open.runId)).toMatchObject({ userId: "account", request: open.request });
    expect(logBytes() - before).toBeLessThan(500_000);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});
