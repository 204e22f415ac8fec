import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";
import { migrate } from "./schema.ts";

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
   * Runs `work` whole or not at all. Without `durable` the commit does not wait for the disk: it outlives the process
   * at once and a power cut as soon as the next durable one is written.
   */
  transaction<Result>(work: () => Result, options?: { durable: boolean }): Result;
  close(): void;
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
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    });
    translated(() => migrate(connection));
    return databaseOn(connection, now);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function databaseOn(connection: DatabaseSync, now: () => number): Database {
  let synchronous: "FULL" | "NORMAL" = "FULL";
  return {
    now,
    prepare<Row>(sql: string): Statement<Row> {
      const statement = translated(() => connection.prepare(sql));
      return {
        get: (...values) => translated(() => statement.get(...values)) as Row | undefined,
        all: (...values) => translated(() => statement.all(...values)) as Row[],
        run: (...values) => Number(translated(() => statement.run(...values)).changes),
      };
    },
    transaction(work, { durable } = { durable: true }) {
      const wanted = durable ? "FULL" : "NORMAL";
      if (wanted !== synchronous) {
        translated(() => connection.exec(`PRAGMA synchronous = ${wanted}`));
        synchronous = wanted;
      }
      translated(() => connection.exec("BEGIN IMMEDIATE"));
      try {
        const result = work();
        translated(() => connection.exec("COMMIT"));
        return result;
      } catch (error) {
        // A full disk has already rolled it back.
        if (connection.isTransaction) connection.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => translated(() => connection.close()),
  };
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
  if ((code & 0xff) === SQLITE_FULL || code === SQLITE_IOERR_SHMSIZE) {
    return new Failure(
      "STORAGE_FULL",
      "The server's disk is full, so nothing more can be saved. Trying again helps once there is space.",
      { cause: error },
    );
  }
  return new Failure("INTERNAL", "The database could not do that. Trying again may help.", {
    cause: error,
    retryable: PASSING.has(code & 0xff),
  });
}
