import { FAILURE_STATUS, Failure, type FailureCode } from "../protocol/failure.ts";
import { isObject, parseObject } from "../protocol/json.ts";

const CODE_OF_STATUS: Record<number, FailureCode> = {
  400: "INVALID_INPUT",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "TOO_LARGE",
  429: "RATE_LIMITED",
  502: "UPSTREAM_ERROR",
  503: "API_THROTTLED",
  504: "UPSTREAM_TIMEOUT",
  507: "STORAGE_FULL",
};

/** The failure that an answer of the server states, or the nearest one where something in between answered instead. */
export async function failureOf(response: Response): Promise<Failure> {
  const body = parseObject(await response.text().catch(() => "")) ?? {};
  const code = isFailureCode(body.code) ? body.code : (CODE_OF_STATUS[response.status] ?? "INTERNAL");
  const sentence =
    typeof body.error === "string" && body.error !== ""
      ? body.error
      : `The server answered with status ${response.status}.`;
  const retryAfter = retryAfterOf(response, body.retryAfter);
  const details = detailsOf(body);
  return new Failure(code, sentence, {
    ...(typeof body.retryable === "boolean" ? { retryable: body.retryable } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(details === undefined ? {} : { details }),
  });
}

/** The failure of a server that could not be reached. */
export function unreachable(origin: string, cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The server at ${origin} cannot be reached. Check that it is running and try again.`,
    { cause },
  );
}

/** The failure of a connection that was lost and did not come back. */
export function lost(origin: string, cause: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The connection to ${origin} was lost and could not be restored. The answer may be complete there: look again later.`,
    { cause },
  );
}

/** The failure of something that the caller's signal stopped. */
export function stopped(cause?: unknown): Failure {
  return new Failure("CANCELLED", "It was stopped before it finished.", { cause });
}

function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(FAILURE_STATUS, code);
}

/** Seconds to wait, from the header (seconds or a date) or the body. */
function retryAfterOf(response: Response, inBody: unknown): number | undefined {
  const header = response.headers.get("retry-after");
  if (header !== null) {
    const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
    if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
  }
  return typeof inBody === "number" && inBody >= 0 ? inBody : undefined;
}

/** What the answer says besides the sentence: its details, the facts of a rate limit, the id to ask the operator with. */
function detailsOf(body: Record<string, unknown>): Record<string, unknown> | undefined {
  const details: Record<string, unknown> = isObject(body.details) ? { ...body.details } : {};
  for (const name of ["limit", "remaining", "reset_at", "requestId"]) {
    if (body[name] !== undefined) details[name] = body[name];
  }
  return Object.keys(details).length > 0 ? details : undefined;
}
