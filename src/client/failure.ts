import { retryAfterIn } from "../protocol/abortable.ts";
import { FAILURE_STATUS, Failure, type FailureCode } from "../protocol/failure.ts";
import { isObject, parseObject } from "../protocol/json.ts";

/** Returns the failure that a response describes, or the nearest one if a proxy responded instead. */
export async function failureOf(response: Response): Promise<Failure> {
  const body = parseObject(await response.text().catch(() => "")) ?? {};
  const code = isFailureCode(body.code) ? body.code : codeOfStatus(response.status);
  const sentence =
    typeof body.error === "string" && body.error !== ""
      ? body.error
      : `The server responded with status ${response.status}.`;
  const retryAfter = retryAfterOf(response, body.retryAfter);
  const details = detailsOf(body);
  return new Failure(code, sentence, {
    ...(typeof body.retryable === "boolean" ? { retryable: body.retryable } : {}),
    retryAfter,
    details,
  });
}

/** Returns the failure for a server that can't be reached. */
export function unreachable(origin: string, cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `Can't reach the server at ${origin}. Check that it is running, then try again.`,
    { cause },
  );
}

/** Returns the failure for a connection that was lost for good. */
export function lost(origin: string, cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The connection to ${origin} was lost. The answer may still be finished there: look again later.`,
    { cause },
  );
}

/** Returns the failure for work that the caller's signal stopped. */
export function stopped(cause?: unknown): Failure {
  return new Failure("CANCELLED", "It was stopped before it finished.", { cause });
}

/** Several codes share a status; the first one listed is the most general. */
function codeOfStatus(status: number): FailureCode {
  return (
    Object.keys(FAILURE_STATUS)
      .filter(isFailureCode)
      .find((code) => FAILURE_STATUS[code] === status) ?? "INTERNAL"
  );
}

function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(FAILURE_STATUS, code);
}

/** Returns the seconds to wait, from the header (seconds or a date) or the body. */
function retryAfterOf(response: Response, inBody: unknown): number | undefined {
  const seconds = retryAfterIn(response.headers.get("retry-after") ?? undefined);
  if (seconds !== undefined) return Math.ceil(seconds);
  return typeof inBody === "number" && inBody >= 0 ? inBody : undefined;
}

/** Returns the rest of an error response: details, rate limits, and the request id for the operator. */
function detailsOf(body: Record<string, unknown>): Record<string, unknown> | undefined {
  const details: Record<string, unknown> = isObject(body.details) ? { ...body.details } : {};
  for (const name of ["limit", "remaining", "reset_at", "requestId"]) {
    if (body[name] !== undefined) details[name] = body[name];
  }
  return Object.keys(details).length > 0 ? details : undefined;
}
