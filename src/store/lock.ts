import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../protocol/failure.ts";

const SQLITE_BUSY = 5;

/** Keeps what holds a lock from being collected, and the lock with it, when a caller drops its release. */
const held = new Set<DatabaseSync>();

/** A moment of patience: of two that ask at once, neither would get it if both gave up at the first sight of the other. */
const PATIENCE_MS = 200;

/**
 * Claims a data directory for this process and answers how to let go of it; `whole` also where others are beside it. The
 * locks are the operating system's, held through empty SQLite files: they end with the process, however that ends, so a
 * dead one leaves nothing to clean up.
 */
export function lockDataDirectory(directory: string, { whole = false } = {}): () => void {
  // A file apart: reading the locked one would make the operating system drop the lock.
  const holderFile = join(directory, "lock.pid");
  const inUse = () => holderIn(holderFile);
  const unlock = hold(directory, "lock.db", "BEGIN EXCLUSIVE", inUse);
  try {
    const leave = whole
      ? hold(directory, "beside.db", "BEGIN EXCLUSIVE", () => "another tackle")
      : joinDataDirectory(directory);
    writeFileSync(holderFile, `${process.pid}\n`);
    return () => {
      leave();
      unlock();
    };
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

/** Works beside the process that has claimed the directory, and keeps it from being claimed whole. */
export function joinDataDirectory(directory: string): () => void {
  return hold(
    directory,
    "beside.db",
    "BEGIN; SELECT count(*) FROM sqlite_master",
    () => "a restore or a migration",
  );
}

function hold(directory: string, file: string, statement: string, inUseBy: () => string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(directory, file), { timeout: PATIENCE_MS });
  try {
    lock.exec(statement);
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    const where = resolve(directory);
    throw new Failure(
      "CONFLICT",
      `The data directory ${where} is in use by ${inUseBy()}. Stop it, or choose another directory.`,
      { cause: error },
    );
  }
  held.add(lock);
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
