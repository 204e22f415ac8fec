import { DatabaseError } from "pg";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";
import { ownerGone } from "../owner-gone.ts";

/**
 * What became of a statement that failed. `not sent`: the server did not begin it. `rolled back`: it may succeed at once.
 * `unknown`: the connection was lost, so it may have been executed. `permanent`: it would fail again.
 */
export type StatementOutcome = "not sent" | "rolled back" | "unknown" | "permanent";

/** Unique indexes at which two writers may conflict: when the second one retries, it sees the first. */
const RACED = new Set(["sessions_by_user", "messages_by_session", "runs_by_key", "one_active_run_a_session"]);

/** The keys of the partitions with events. */
const PAGE_KEY = /^(run_pages_\w+|run_events)_pkey$/;

/** Serialization failure, deadlock, and a plan that a migration made stale. */
const ROLLED_BACK = new Set(["40001", "40P01", "0A000"]);
/** The server is starting or stopping, or has too many connections. */
const NOT_SENT = new Set(["57P03", "53300"]);
/** The server takes no changes: it has become a replica, or its provider stopped them because the disk is nearly full. */
const READ_ONLY = "25006";
/** Shutdown, crash, an idle transaction that timed out, and the class of lost connections. */
const LOST = /^(57P0[12]|25P03|08)/;
const FULL = new Set(["53100"]);
/** What a row belongs to is gone. */
const FOREIGN_KEY = "23503";
const TIMED_OUT = new Set(["57014", "55P03"]);

/** Thrown if there is no connection: nothing was sent. */
export class NoConnection extends Error {
  constructor(cause: unknown) {
    super("no connection to the database", { cause });
    this.name = "NoConnection";
  }
}

/** Returns what became of the statement that failed with this error. */
export function outcomeOf(error: unknown): StatementOutcome {
  if (error instanceof NoConnection) return isHopeless(error.cause) ? "permanent" : "not sent";
  if (error instanceof DatabaseError) {
    const { code = "", constraint = "" } = error;
    if (NOT_SENT.has(code) || code === READ_ONLY) return "not sent";
    if (ROLLED_BACK.has(code) || (code === "23505" && RACED.has(constraint))) return "rolled back";
    return LOST.test(code) ? "unknown" : "permanent";
  }
  if (error instanceof Failure || error instanceof Fenced) return "permanent";
  return isLost(error) ? "unknown" : "permanent";
}

/** Returns true if the connection cannot be used again. The next one may lead to the server that takes changes now. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof DatabaseError)
    return LOST.test(error.code ?? "") || error.code === "0A000" || error.code === READ_ONLY;
  return !(error instanceof Failure || error instanceof Fenced);
}

/** Returns the failure for the caller of the store. */
export function engineFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof Fenced) return error;
  const code = error instanceof DatabaseError ? (error.code ?? "") : "";
  if (FULL.has(code)) {
    return new Failure(
      "STORAGE_FULL",
      "The database's disk is full, so nothing can be saved. Free some space, then try again.",
      { cause: error },
    );
  }
  if (code === FOREIGN_KEY) return ownerGone(error);
  const outcome = outcomeOf(error);
  if (outcome !== "permanent" || TIMED_OUT.has(code)) {
    const sentence =
      code === READ_ONLY
        ? "The database is read-only right now, so nothing can be saved. Try again in a moment."
        : outcome === "not sent"
          ? "The database cannot be reached right now. Try again in a moment."
          : "The database did not answer in time. Try again in a moment.";
    return new Failure("RESOURCE_EXHAUSTED", sentence, { cause: error, retryable: true, retryAfter: 2 });
  }
  // An append that conflicts with its own first attempt finds that out when it is retried.
  const conflictsWithItself = error instanceof DatabaseError && PAGE_KEY.test(error.constraint ?? "");
  return new Failure("INTERNAL", "The database could not do that. Try again in a moment.", {
    cause: error,
    retryable: conflictsWithItself,
  });
}

/** A wrong password, a missing database and a closed pool do not get better with time. */
function isHopeless(cause: unknown): boolean {
  if (cause instanceof DatabaseError) return /^(28|3D)/.test(cause.code ?? "");
  return cause instanceof Error && cause.message.startsWith("Cannot use a pool after");
}

function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code) ||
    /^(Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  );
}
