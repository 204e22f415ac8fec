import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { Failure } from "../../protocol/failure.ts";

/** Codes of JetStream for a full disk or a limit of the account. */
const FULL = new Set([10023, 10028, 10047, 10077]);

/** Returns true if a message was refused because there is one with this subject. */
export function isOccupied(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false;
  const { code, message } = error;
  return code === JetStreamApiCodes.StreamWrongLastSequence || /maximum messages per subject/.test(message);
}

/** Returns true if a stream is there with another configuration. */
export function isTaken(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === 10058;
}

/** Returns what went wrong, in a sentence. */
export function journalFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  if (cause instanceof JetStreamApiError && FULL.has(cause.code))
    return new Failure(
      "STORAGE_FULL",
      "The journal's storage is full, so nothing can be saved. Free some space, then try again.",
      { cause },
    );
  return new Failure(
    "RESOURCE_EXHAUSTED",
    "The journal cannot be reached right now. Try again in a moment.",
    {
      cause,
      retryable: true,
      retryAfter: 2,
    },
  );
}
