import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Store } from "../../protocol/store.ts";
import { openSqliteStore } from "../sqlite.ts";
import { writeEmptyDatabase } from "./empty.ts";

interface Options {
  /** The database, if the test has one already. */
  path?: string;
  now?: () => number;
}

/** Opens an empty SQLite store that is closed after the test. */
export async function temporaryStore({ path, ...options }: Options = {}): Promise<Store> {
  const store = await openSqliteStore({ path: path ?? (await temporaryDatabase()), ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Creates an empty SQLite database that is deleted after the test. Returns its path. */
export async function temporaryDatabase(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "tackle-store-"));
  const path = join(directory, "tackle.db");
  await writeEmptyDatabase(path);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return path;
}
