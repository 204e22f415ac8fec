import { closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";
import type { Value } from "../values.ts";
import { migrate } from "./schema.ts";
import { openWriteAheadLog, type WriteAheadLog } from "./write-ahead.ts";

export interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  /** Returns how many rows it changed. */
  run(...values: SQLInputValue[]): number;
}

/** One connection of this process. Everything on it is synchronous, so transactions are never interleaved. */
export interface Database {
  readonly path: string;
  /** The engine's clock, in milliseconds. */
  now(): number;
  /** `Row` is not checked: rows with stored values are `unknown` and go through `rows.ts`. */
  prepare<Row = Record<string, never>>(sql: string): Statement<Row>;
  /**
   * Runs `work` in a transaction. It survives a crash of the process at once. It survives a power cut when it has been synced
   * to disk, which `durably` waits for if it is durable, and which otherwise happens within a second.
   */
  transaction<Result>(work: () => Result, options?: { durable: boolean }): Result;
  /** Resolves with the result once what the call committed durably is on disk. The call must not wait before it commits. */
  durably<Result>(call: () => Result): Promise<Result>;
  /** Resolves when everything that was committed so far is on disk. */
  synced(): Promise<void>;
  /** Calls back after each transaction. */
  onCommit(committed: () => void): void;
  /** Resolves when a checkpoint that commits should wait for is over; undefined if there is none. */
  checkpoint(): Promise<void> | undefined;
  /** Call this after a deletion: empties the write-ahead log soon, so that it does not hold what was deleted. */
  scrub(): void;
  close(): Promise<void>;
}

/** How long a statement waits for another process. */
const BUSY_MS = 5_000;
const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4874;
/** Busy, locked, out of memory, interrupted, I/O error, cannot open, protocol: these may pass. */
const TEMPORARY = new Set([5, 6, 7, 9, 10, 14, 15]);

/** Corrupt, not a database. */
const DAMAGED = new Set([11, 26]);
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
 * something and died. Otherwise a thread of its own would do that, which takes 20 MB and a tenth of the time of a start.
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

/** Flags are numbers in SQLite. */
export function toNumbers(values: readonly Value[]): SQLInputValue[] {
  return values.map((value) => (typeof value === "boolean" ? Number(value) : value));
}

interface Opened {
  path: string;
  connection: DatabaseSync;
  log: WriteAheadLog;
  now(): number;
}

function databaseOn({ path, connection, log, now }: Opened): Database {
  let durableCommits = 0;
  let committed: (() => void) | undefined;
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  return {
    path,
    now,
    prepare<Row>(sql: string): Statement<Row> {
      const statement = withFailures(() => connection.prepare(sql));
      return {
        get: (...values) => withFailures(() => statement.get(...values)) as Row | undefined,
        all: (...values) => withFailures(() => statement.all(...values)) as Row[],
        run(...values) {
          // This is the hot path, so it does not create a function for each call.
          try {
            return Number(statement.run(...values).changes);
          } catch (error) {
            throw engineFailure(error);
          }
        },
      };
    },
    transaction(work, { durable } = { durable: true }) {
      withFailures(() => begin.run());
      try {
        const result = work();
        withFailures(() => commit.run());
        if (durable) durableCommits++;
        log.grew();
        committed?.();
        return result;
      } catch (error) {
        // If the disk is full, SQLite has already rolled it back.
        if (connection.isTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    },
    async durably(call) {
      const before = durableCommits;
      const result = call();
      if (durableCommits !== before) await log.synced().catch(failSync);
      return result;
    },
    synced: () => log.synced().catch(failSync),
    onCommit(call) {
      committed = call;
    },
    checkpoint: () => log.busy,
    scrub: () => log.scrub(),
    async close() {
      await log.close();
      withFailures(() => connection.close());
    },
  };
}

/** Never retried: after a failed sync, a second one may succeed although the data is lost. */
function failSync(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOSPC" || error.code === "EDQUOT") throw diskFull(error);
  throw new Failure("INTERNAL", "The database could not be written to disk.", {
    cause: error,
    retryable: false,
  });
}

/** Runs something on the engine, and turns what it throws into a `Failure`. */
function withFailures<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw engineFailure(error);
  }
}

function engineFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof Fenced) return error;
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  if ((code & 0xff) === SQLITE_FULL || code === SQLITE_IOERR_SHMSIZE) return diskFull(error);
  if (DAMAGED.has(code & 0xff))
    return new Failure(
      "INTERNAL",
      "The server's database is damaged. Its operator can bring back a backup with tackle restore.",
      { cause: error },
    );
  return new Failure("INTERNAL", "The database could not do that. Try again in a moment.", {
    cause: error,
    retryable: TEMPORARY.has(code & 0xff),
  });
}

function diskFull(cause: unknown): Failure {
  return new Failure(
    "STORAGE_FULL",
    "The server's disk is full, so nothing can be saved. Free some space, then try again.",
    { cause },
  );
}
