import { Failure } from "../protocol/failure.ts";

/** Where a check cannot be made, the answer is no. */
export function unchecked(cause: unknown): Failure {
  return new Failure(
    "RESOURCE_EXHAUSTED",
    "A safety check could not be made, so the call was refused. Try again in a few seconds.",
    { cause, retryable: true, retryAfter: 5 },
  );
}
