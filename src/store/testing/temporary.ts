import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Store } from "../../protocol/store.ts";
import { openSqliteStore } from "../sqlite.ts";
import { writeEmptyDatabase } from "./empty.ts";

/** Opens an empty SQLite store that is closed and deleted after the test. */
export async function temporaryStore(): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), "tackle-store-"));
  const path = join(directory, "tackle.db");
  await writeEmptyDatabase(path);
  const store = await openSqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return store;
}
