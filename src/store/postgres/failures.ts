import { DatabaseError } from "pg";
import { Failure } from "../../protocol/failure.ts";
import { Fenced } from "../../protocol/store.ts";

/**
 * What became of a statement that failed. `unsent`: it never reached the server. `undone`: it was taken back whole, and
 * may succeed at once. `unknown`: the connection was lost, it may have happened. `stays`: the same would fail again.
 */
export type Fate = "unsent" | "undone" | "unknown" | "stays";

/** Unique indexes that two writers at the same moment may meet at: the second one sees the first when it tries again. */
const RACED = new Set(["sessions_by_user", "messages_by_session", "runs_by_key", "one_active_run_a_session"]);

/** Serialization failure, deadlock, and a plan that a migration made stale. */
const UNDONE = new Set(["40001", "40P01", "0A000"]);
/** The server starts, stops, or has no room for another connection. */
const UNSENT = new Set(["57P03", "53300"]);
/** Shutdown, crash, a transaction that was left alone too long, and the class of lost connections. */
const LOST = /^(57P0[12]|25P03|08)/;
const FULL = new Set(["53100"]);
const TIMED_OUT = new Set(["57014", "55P03"]);

/** Thrown where no connection could be had: nothing was sent. */
export class NoConnection extends Error {
  constructor(cause: unknown) {
    super("no connection to the database", { cause });
    this.name = "NoConnection";
  }
}

/** What became of the statement that ended in this error. */
export function fateOf(error: unknown): Fate {
  if (error instanceof NoConnection) return isHopeless(error.cause) ? "stays" : "unsent";
  if (error instanceof DatabaseError) {
    const { code = "", constraint = "" } = error;
    if (UNSENT.has(code)) return "unsent";
    if (UNDONE.has(code) || (code === "23505" && RACED.has(constraint))) return "undone";
    return LOST.test(code) ? "unknown" : "stays";
  }
  if (error instanceof Failure || error instanceof Fenced) return "stays";
  return isLost(error) ? "unknown" : "stays";
}

/** True when the connection cannot be used again. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof DatabaseError) return LOST.test(error.code ?? "") || error.code === "0A000";
  return !(error instanceof Failure || error instanceof Fenced);
}

/** The failure that the caller of the store gets. */
export function engineFailure(error: unknown): Error {
  if (error instanceof Failure || error instanceof Fenced) return error;
  const code = error instanceof DatabaseError ? (error.code ?? "") : "";
  if (FULL.has(code)) {
    return new Failure(
      "STORAGE_FULL",
      "The database's disk is full, so nothing more can be saved. Trying again helps once there is space.",
      { cause: error },
    );
  }
  const fate = fateOf(error);
  if (fate === "unsent") {
    return new Failure(
      "RESOURCE_EXHAUSTED",
      "The database cannot be reached right now. Try again in a moment.",
      {
        cause: error,
        retryable: true,
        retryAfter: 2,
      },
    );
  }
  // An append that meets its own first try on the server will find out when it looks.
  const metItself = error instanceof DatabaseError && error.constraint === "run_events_pkey";
  return new Failure("INTERNAL", "The database could not do that. Trying again may help.", {
    cause: error,
    retryable: fate !== "stays" || TIMED_OUT.has(code) || metItself,
  });
}

/** A wrong password or a database that does not exist stays wrong, and a pool that was closed stays closed. */
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
