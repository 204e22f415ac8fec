import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../protocol/failure.ts";

const SQLITE_BUSY = 5;

/** Open locks, so that they are not garbage-collected if a caller drops the function that releases one. */
const held = new Set<DatabaseSync>();

/** Without a short wait, two processes that ask at the same moment would both fail. */
const WAIT_MS = 200;

/**
 * Locks a data directory for this process and returns a function that unlocks it. With `whole`, no process may work beside
 * it either. The locks are the operating system's, held through empty SQLite files. They end with the process, so a crash
 * leaves nothing to clean up.
 */
export function lockDataDirectory(directory: string, { whole = false } = {}): () => void {
  // A separate file: reading the locked one would release the lock.
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
    throw thrown instanceof Failure ? thrown : unwritable(resolve(directory), thrown);
  }
}

/** Works beside the process that has locked the directory, and keeps it from being locked whole. */
export function joinDataDirectory(directory: string): () => void {
  return hold(
    directory,
    "beside.db",
    "BEGIN; SELECT count(*) FROM sqlite_master",
    () => "a restore or a migration",
  );
}

function hold(directory: string, file: string, statement: string, inUseBy: () => string): () => void {
  const where = resolve(directory);
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = new DatabaseSync(join(directory, file), { timeout: WAIT_MS });
    lock.exec(statement);
  } catch (error) {
    lock?.close();
    if (!isBusy(error)) throw unwritable(where, error);
    throw new Failure(
      "CONFLICT",
      `The data directory ${where} is in use by ${inUseBy()}. Stop it, or choose another directory.`,
      { cause: error },
    );
  }
  const opened = lock;
  held.add(opened);
  return () => {
    if (held.delete(opened)) opened.close();
  };
}

function unwritable(where: string, cause: unknown): Failure {
  const database = join(where, "tackle.db");
  const advice = existsSync(database)
    ? `Make it and the database ${database} writable for this user, or choose another directory with --data and bring back a backup there with tackle restore.`
    : "Make it writable for this user, or choose another directory with --data or TACKLE_DATA.";
  return new Failure("INVALID_INPUT", `The data directory ${where} cannot be written. ${advice}`, { cause });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

function holderIn(file: string): string {
  // Missing or empty for a moment after a process took the lock.
  const pid = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return pid ? `process ${pid}` : "another process";
}
