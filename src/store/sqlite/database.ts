import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";
import { migrate } from "./schema.ts";
import { openWriteAheadLog, type WriteAheadLog } from "./write-ahead.ts";

export interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  /** Answers how many rows it changed. */
  run(...values: SQLInputValue[]): number;
}

/** One connection of this process; everything on it is synchronous, so a transaction is never interleaved. */
export interface Database {
  /** The engine's clock, in milliseconds. */
  now(): number;
  /** `Row` is what the columns of the statement are: the one place where that is taken on trust. */
  prepare<Row = Record<string, never>>(sql: string): Statement<Row>;
  /**
   * Runs `work` whole or not at all. It outlives the process at once. Without `durable` it outlives a power cut only as soon
   * as the next durable one is on disk, which `settled` waits for.
   */
  transaction<Result>(work: () => Result, options?: { durable: boolean }): Result;
  /** Resolves with the answer once what the call committed durably is on disk. The call must not wait before it commits. */
  settled<Result>(call: () => Result): Promise<Result>;
  /** Waits while commits that can wait should. */
  makeWay(): Promise<void> | undefined;
  close(): Promise<void>;
}

const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4874;
/** Busy, locked, out of memory, interrupted, input or output, cannot open, protocol: these may pass. */
const PASSING = new Set([5, 6, 7, 9, 10, 14, 15]);

/** Opens the database file, creating or upgrading it as needed. */
export function openDatabase(path: string, now: () => number = Date.now): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Conversations are for their owner's eyes; the files that SQLite adds take over this mode.
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  const connection = translated(() => new DatabaseSync(path, { timeout: 5_000 }));
  try {
    translated(() => {
      // Waiting for the disk, and moving the log into the database, is done beside this thread.
      connection.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 128000; PRAGMA cache_size = -16000; PRAGMA foreign_keys = ON",
      );
    });
    translated(() => migrate(connection));
    return databaseOn(connection, openWriteAheadLog(path), now);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function databaseOn(connection: DatabaseSync, log: WriteAheadLog, now: () => number): Database {
  let durableCommits = 0;
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  return {
    now,
    prepare<Row>(sql: string): Statement<Row> {
      const statement = translated(() => connection.prepare(sql));
      return {
        get: (...values) => translated(() => statement.get(...values)) as Row | undefined,
        all: (...values) => translated(() => statement.all(...values)) as Row[],
        run(...values) {
          // Most of what is run is one event of very many: no function for each.
          try {
            return Number(statement.run(...values).changes);
          } catch (error) {
            throw engineFailure(error);
          }
        },
      };
    },
    transaction(work, { durable } = { durable: true }) {
      translated(() => begin.run());
      try {
        const result = work();
        translated(() => commit.run());
        if (durable) durableCommits++;
        log.grew();
        return result;
      } catch (error) {
        // A full disk has already rolled it back.
        if (connection.isTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    },
    async settled(call) {
      const before = durableCommits;
      const result = call();
      if (durableCommits !== before) await log.synced().catch(failSync);
      return result;
    },
    makeWay: () => log.busy,
    async close() {
      await log.close();
      translated(() => connection.close());
    },
  };
}

/** Not to be tried again: what the disk did not take then it need not have now, although it seems to be there. */
function failSync(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOSPC" || error.code === "EDQUOT") throw diskFull(error);
  throw new Failure("INTERNAL", "The database could not be written to disk.", {
    cause: error,
    retryable: false,
  });
}

/** Runs something on the engine; what it throws becomes a Failure. */
function translated<Result>(work: () => Result): Result {
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
  return new Failure("INTERNAL", "The database could not do that. Trying again may help.", {
    cause: error,
    retryable: PASSING.has(code & 0xff),
  });
}

function diskFull(cause: unknown): Failure {
  return new Failure(
    "STORAGE_FULL",
    "The server's disk is full, so nothing more can be saved. Trying again helps once there is space.",
    { cause },
  );
}
