import { Failure } from "../protocol/failure.ts";

/** The failure of a row whose project, file or session was deleted while it was written. */
export function ownerGone(cause: unknown): Failure {
  return new Failure("NOT_FOUND", "What this belongs to was deleted in the meantime.", { cause });
}
