import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";
import { ownerGone } from "../owner-gone.ts";
import type { Value } from "../values.ts";
import type { WriteAheadLog } from "./write-ahead.ts";

export interface Statement<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  /** Returns how many rows it changed. */
  run(...values: SQLInputValue[]): number;
}

export interface Together {
  durable: boolean;
  when: "now" | "this turn" | "soon";
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
  /**
   * Runs `work` in one transaction with the work of others, and resolves once that is committed: "now", at the end of this turn
   * of the event loop, or "soon", if no caller waits for it. Transactions of their own would write the same pages again and
   * again. If one of them throws, each gets its own transaction, so `work` may run twice.
   */
  together<Result>(work: () => Result, options: Together): Promise<Result>;
  /** Resolves with the result once what the call committed durably is on disk. The call must not wait before it commits. */
  durably<Result>(call: () => Result): Promise<Result>;
  /** Resolves when everything that was committed so far is on disk. */
  synced(): Promise<void>;
  /** Calls back after each transaction. */
  onCommit(committed: () => void): void;
  /** Calls back after each transaction that was rolled back. */
  onRollback(rolledBack: () => void): void;
  /** Resolves when a checkpoint that commits should wait for is over; undefined if there is none. */
  checkpoint(): Promise<void> | undefined;
  /** Call this after a deletion: empties the write-ahead log soon, so that it does not hold what was deleted. */
  scrub(): void;
  close(): Promise<void>;
}

const SQLITE_FULL = 13;
const SQLITE_IOERR_SHMSIZE = 4874;
/** What a row belongs to is gone. */
const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
/** Busy, locked, out of memory, interrupted, I/O error, cannot open, protocol: these may pass. */
const TEMPORARY = new Set([5, 6, 7, 9, 10, 14, 15]);
/** Corrupt, not a database. */
export const DAMAGED: ReadonlySet<number> = new Set([11, 26]);
/** How long work that no caller waits for may wait to share a transaction. */
const SOON_MS = 20;
/** How much work shares a transaction. What many runs write at their end would hold up every stream. */
const MOST_TOGETHER = 16;

/** Flags are numbers in SQLite. */
export function toNumbers(values: readonly Value[]): SQLInputValue[] {
  return values.map((value) => (typeof value === "boolean" ? Number(value) : value));
}

export interface Opened {
  path: string;
  connection: DatabaseSync;
  log: WriteAheadLog;
  now(): number;
}

/** Work that waits for a transaction. */
interface Waiting {
  work(): unknown;
  durable: boolean;
  outcome: PromiseWithResolvers<unknown>;
}

export function databaseOn({ path, connection, log, now }: Opened): Database {
  let durableCommits = 0;
  let committed: (() => void) | undefined;
  let rolledBack: (() => void) | undefined;
  const waiting: Waiting[] = [];
  let thisTurn: NodeJS.Immediate | undefined;
  let soon: NodeJS.Timeout | undefined;
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");

  function transaction<Result>(work: () => Result, { durable } = { durable: true }): Result {
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
      rolledBack?.();
      throw error;
    }
  }

  function runWaiting(): void {
    clearImmediate(thisTurn);
    clearTimeout(soon);
    thisTurn = undefined;
    soon = undefined;
    const some = waiting.splice(0, MOST_TOGETHER);
    if (waiting.length > 0) thisTurn = setImmediate(runWaiting);
    if (some.length > 0) runTogether(some);
  }

  function runTogether(all: readonly Waiting[]): void {
    try {
      const durable = all.some((one) => one.durable);
      const results = transaction(() => all.map(({ work }) => work()), { durable });
      for (const [at, { outcome }] of all.entries()) outcome.resolve(results[at]);
    } catch (error) {
      if (all.length > 1) for (const one of all) runTogether([one]);
      else all[0]?.outcome.reject(error);
    }
  }

  return {
    path,
    now,
    prepare<Row>(sql: string): Statement<Row> {
      // Compiled at its first use: most of the 500 statements are never used by a server for few people.
      let compiled: StatementSync | undefined;
      const statement = () => {
        compiled ??= connection.prepare(sql);
        return compiled;
      };
      return {
        get: (...values) => withFailures(() => statement().get(...values)) as Row | undefined,
        all: (...values) => withFailures(() => statement().all(...values)) as Row[],
        run(...values) {
          // This is the hot path, so it does not create a function for each call.
          try {
            return Number(statement().run(...values).changes);
          } catch (error) {
            throw engineFailure(error);
          }
        },
      };
    },
    transaction,
    together<Result>(work: () => Result, { durable, when }: Together): Promise<Result> {
      const outcome = Promise.withResolvers<Result>();
      const one = { work, durable, outcome: outcome as PromiseWithResolvers<unknown> };
      if (when === "now") waiting.unshift(one);
      else waiting.push(one);
      if (when === "now") runWaiting();
      else if (when === "this turn") thisTurn ??= setImmediate(runWaiting);
      else soon ??= setTimeout(runWaiting, SOON_MS);
      return outcome.promise;
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
    onRollback(call) {
      rolledBack = call;
    },
    checkpoint: () => log.busy,
    scrub: () => log.scrub(),
    async close() {
      while (waiting.length > 0) runWaiting();
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

export function engineFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof Fenced) return error;
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  if ((code & 0xff) === SQLITE_FULL || code === SQLITE_IOERR_SHMSIZE) return diskFull(error);
  if (DAMAGED.has(code & 0xff))
    return new Failure(
      "INTERNAL",
      "The server's database is damaged. Its operator can bring back a backup with tackle restore.",
      { cause: error },
    );
  if (code === SQLITE_CONSTRAINT_FOREIGNKEY) return ownerGone(error);
  if (error instanceof Error && "code" in error && error.code === "ERR_INVALID_STATE")
    return new Failure("INTERNAL", "Tackle is closed, so it answers nothing more.", { cause: error });
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
