import { closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { DAMAGED, type Database, databaseOn, engineFailure } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openWriteAheadLog } from "./write-ahead.ts";

/** How long a statement waits for another process. */
const BUSY_MS = 5_000;
/** No permission, read-only, cannot open. */
const UNWRITABLE = new Set([3, 8, 14]);

/** Opens the database file, and creates or upgrades it as needed. */
export function openDatabase(path: string, now: () => number = Date.now): Database {
  let connection: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    checkEmptyFile(path);
    // Only the owner may read it. The files that SQLite adds get the same mode.
    closeSync(openSync(path, "a", 0o600));
    connection = new DatabaseSync(path, { timeout: BUSY_MS });
    // Deleted content is overwritten with zeros. Syncing and checkpoints happen outside of this thread.
    connection.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 128000; PRAGMA cache_size = -16000; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON",
    );
    migrate(connection);
    emptyLog(connection);
    return databaseOn({ path, connection, log: openWriteAheadLog(path), now });
  } catch (error) {
    connection?.close();
    throw openFailure(error, path);
  }
}

/**
 * Empties the write-ahead log if no other process uses it: a migration has written to it, or an earlier process has deleted
 * something and died. Otherwise a separate thread would do that, which takes 20 MB and a tenth of the time of a start.
 */
function emptyLog(connection: DatabaseSync): void {
  try {
    connection.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The disk is full, for example. What can be read is still served, and the thread tries again.
  }
  connection.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
}

/** Throws if the file is empty although there is data beside it. SQLite would start a new database, and delete the log. */
function checkEmptyFile(path: string): void {
  const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size;
  const bytes = bytesOf(path);
  const isOwnData = (name: string) => name === "files" || name.endsWith(".key");
  const hasLog = (bytesOf(`${path}-wal`) ?? 0) > 0;
  if (bytes !== undefined && bytes > 0) return;
  if (!hasLog && (bytes === undefined || !readdirSync(dirname(path)).some(isOwnData))) return;
  throw new Failure(
    "INVALID_INPUT",
    `The database ${path} is ${bytes === 0 ? "empty" : "missing"}, but there is other data beside it. To bring back a backup, delete ${basename(path)} and ${basename(path)}-wal, then use tackle restore. Delete them too if you want to start with an empty database.`,
  );
}

/** Names the file and what to do if the database cannot be opened. Only the operator sees this. */
function openFailure(error: unknown, path: string): Error {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  const system = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code !== undefined && DAMAGED.has(code))
    return new Failure(
      "INVALID_INPUT",
      `The database ${path} is damaged or is not a database. Move it and ${basename(path)}-wal away, then bring back a backup with tackle restore.`,
      { cause: error },
    );
  if ((code !== undefined && UNWRITABLE.has(code)) || ["EACCES", "EISDIR", "EPERM", "EROFS"].includes(system))
    return new Failure(
      "INVALID_INPUT",
      `The database ${path} cannot be written. Make it and its folder writable for this user, or choose another folder with --data and bring back a backup there with tackle restore.`,
      { cause: error },
    );
  return engineFailure(error);
}
