import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../protocol/failure.ts";

const SQLITE_BUSY = 5;

/** Keeps what holds a lock from being collected, and the lock with it, when a caller drops its release. */
const held = new Set<DatabaseSync>();

/**
 * Claims a data directory for this process and answers how to let go of it. The lock is one of the operating system's,
 * held through an empty SQLite file: it ends with the process, however that ends, so a dead one leaves nothing to clean up.
 */
export function lockDataDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // A moment of patience: of two that ask at once, neither would get it if both gave up at the first sight of the other.
  const lock = new DatabaseSync(join(directory, "lock.db"), { timeout: 200 });
  // A file apart: reading the locked one would make the operating system drop the lock.
  const holderFile = join(directory, "lock.pid");
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Failure(
      "CONFLICT",
      `The data directory ${resolve(directory)} is in use by ${holderIn(holderFile)}. Stop it, or choose another directory.`,
      { cause: error },
    );
  }
  held.add(lock);
  writeFileSync(holderFile, `${process.pid}\n`);
  return () => {
    if (held.delete(lock)) lock.close();
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

function holderIn(file: string): string {
  // Missing or empty for the moment between a holder's lock and its note.
  const pid = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return pid ? `process ${pid}` : "another process";
}
