import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { cleanFailure } from "../guard/errors.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { createReadiness } from "./readiness.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-readiness-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a writable store is ready and unchanged by the check; a read-only one is not ready", async () => {
  const store = await openSqliteStore({ dataDir: folder });
  const others = [
    { name: "OpenAI", ok: true, detail: "reachable" },
    { name: "S3", ok: false, detail: "not reachable", fix: "Check the S3 settings." },
  ];
  const parts = { store, model: () => "demo/demo", cleanError: cleanFailure, reachAll: async () => others };
  const ready = (deep?: boolean) => createReadiness(parts)(deep);
  expect(await ready(true)).toEqual({
    ok: false,
    checks: { store: "ok", model: "demo/demo", OpenAI: "ok", S3: "not reachable. Check the S3 settings." },
  });
  expect(await ready()).toEqual({ ok: true, checks: { store: "ok", model: "demo/demo" } });
  expect(await store.getSettings("")).toEqual({});

  // Reading still works then, so only a check that writes can tell.
  const other = new DatabaseSync(join(folder, "tackle.db"));
  other.exec("DROP TABLE user_settings");
  expect((await store.stats()).sessions).toBe(0);
  const refused = await ready();
  expect(refused.ok).toBe(false);
  expect(refused.checks.store).toContain("database");
  other.close();
  await store.close();
});
