import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openDatabase } from "../sqlite/open-database.ts";

let empty: Promise<Buffer> | undefined;

/** Writes a copy of an empty SQLite database to this path. Tests that open it need a quarter of the time for creating one. */
export async function writeEmptyDatabase(path: string): Promise<void> {
  empty ??= createEmpty();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, await empty, { mode: 0o600, flag: "wx" });
}

async function createEmpty(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "tackle-empty-"));
  const path = join(directory, "tackle.db");
  await openDatabase(path).close();
  const bytes = readFileSync(path);
  rmSync(directory, { recursive: true, force: true });
  return bytes;
}
