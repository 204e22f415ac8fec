import { Failure, type FailureCode, toFailure } from "../protocol/failure.ts";
import { hideSecrets } from "./redact/hide.ts";
import { redact, redactDeep } from "./redact/redact.ts";
import { redactUpstreams } from "./redact/upstreams.ts";

export { redact };

const MAX_SENTENCE = 1_000;
const MAX_CAUSES = 5;

/** System errors by their codes, and the sentence a person is shown. */
const SYSTEM_ERRORS: readonly (readonly [codes: string, FailureCode, string])[] = [
  ["ENOSPC", "STORAGE_FULL", "There is no space left to store this. Free some space, then try again."],
  ["EDQUOT", "STORAGE_FULL", "The storage quota is used up. Free some space, then try again."],
  ["SQLITE_FULL", "STORAGE_FULL", "The database has no space left. Free some space, then try again."],
  ["EACCES EPERM", "FORBIDDEN", "The server has no permission to do this."],
  ["EROFS", "FORBIDDEN", "That location is read-only."],
  ["ENOENT", "NOT_FOUND", "It does not exist."],
  ["EEXIST", "CONFLICT", "Something with that name already exists."],
  ["ENOTEMPTY", "CONFLICT", "The folder is not empty."],
  ["EISDIR", "INVALID_INPUT", "That is a folder, but a file is needed."],
  ["ENOTDIR", "INVALID_INPUT", "That is a file, but a folder is needed."],
  ["ENAMETOOLONG", "INVALID_INPUT", "The name is too long."],
  ["EMFILE ENFILE", "RESOURCE_EXHAUSTED", "Too many files are open. Try again shortly."],
  ["ENOMEM", "RESOURCE_EXHAUSTED", "There is not enough memory. Try again shortly."],
  ["EAGAIN", "RESOURCE_EXHAUSTED", "The server is too busy. Try again shortly."],
  ["SQLITE_BUSY", "RESOURCE_EXHAUSTED", "The database is busy. Try again shortly."],
  [
    "ETIMEDOUT ESOCKETTIMEDOUT UND_ERR_HEADERS_TIMEOUT",
    "UPSTREAM_TIMEOUT",
    "The remote server did not respond in time. Try again.",
  ],
  ["UND_ERR_CONNECT_TIMEOUT", "UPSTREAM_TIMEOUT", "The connection timed out. Try again."],
  ["UND_ERR_BODY_TIMEOUT", "UPSTREAM_TIMEOUT", "The response stopped arriving. Try again."],
  ["ECONNREFUSED", "UPSTREAM_ERROR", "The remote server refused the connection. Try again later."],
  ["ECONNRESET EPIPE UND_ERR_SOCKET", "UPSTREAM_ERROR", "The connection was lost. Try again."],
  [
    "EHOSTUNREACH",
    "UPSTREAM_ERROR",
    "The remote server cannot be reached. Check the network, then try again.",
  ],
  ["ENETUNREACH", "UPSTREAM_ERROR", "The network cannot be reached. Check it, then try again."],
  ["ENOTFOUND", "UPSTREAM_ERROR", "The host name was not found. Check the address and the network."],
  ["EAI_AGAIN", "UPSTREAM_ERROR", "Host names cannot be resolved. Check the network, then try again."],
  ["CERT_HAS_EXPIRED", "UPSTREAM_ERROR", "The remote server's certificate has expired."],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UPSTREAM_ERROR",
    "The remote server's certificate is not trusted.",
  ],
];

const BY_CODE = new Map(
  SYSTEM_ERRORS.flatMap(([codes, code, sentence]) =>
    codes.split(" ").map((name) => [name, { code, sentence }] as const),
  ),
);

/** Layer 5: turns anything thrown into a failure that may be shown, with a redacted sentence and no stack. Never throws. */
export function cleanFailure(thrown: unknown): Failure {
  try {
    const failure = thrown instanceof Failure ? thrown : (systemFailure(thrown) ?? toFailure(thrown));
    return cleaned(failure);
  } catch (unexpected) {
    return toFailure(unexpected instanceof Failure ? undefined : unexpected);
  }
}

/** Turns what a tool threw into the result of its call. Its message helps the model to correct itself. Never throws. */
export function toolFailure(thrown: unknown): Failure {
  const known = cleanFailure(thrown);
  if (known.code !== "INTERNAL" || thrown instanceof Failure) return known;
  const sentence = messageOf(thrown);
  if (sentence === "") return known;
  return new Failure("TOOL_FAILED", redactUpstreams(redactError(sentence)).slice(0, MAX_SENTENCE), {
    cause: thrown,
  });
}

/** Failures about what the caller sent. Addresses in them are the caller's own. */
const ABOUT_THE_REQUEST: ReadonlySet<FailureCode> = new Set([
  "INVALID_INPUT",
  "TOOL_INVALID_ARGUMENTS",
  "FORBIDDEN",
  "TOOL_DENIED",
  "NOT_FOUND",
]);

/** In an error, whatever begins like a vendor's key is one. Elsewhere it may be the name of a style. */
const KEY = /\bsk-[\w-]{6,}/g;

function redactError(text: string): string {
  return redact(text).replace(KEY, "[key]");
}

function redactSentence({ code, publicMessage, details, origin }: Failure): string {
  // Text of the person's own files, as a result would show it.
  if (origin === "workspace") return hideSecrets(publicMessage);
  const sentence = redactError(publicMessage);
  const own = ABOUT_THE_REQUEST.has(code) && details?.upstreamStatus === undefined;
  return own ? sentence : redactUpstreams(sentence);
}

/** Returns the failure for a system error, which may also be the cause of another error. */
function systemFailure(thrown: unknown): Failure | undefined {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    if (error.name === "AbortError") return undefined;
    if (error.name === "TimeoutError")
      return new Failure("UPSTREAM_TIMEOUT", "It did not finish in time. Try again.", {
        cause: thrown,
      });
    const known = "code" in error && typeof error.code === "string" ? BY_CODE.get(error.code) : undefined;
    if (known) return new Failure(known.code, known.sentence, { cause: thrown });
    error = error.cause;
  }
  return undefined;
}

function cleaned(failure: Failure): Failure {
  const sentence = redactSentence(failure);
  const details = failure.details && (redactDeep(failure.details) as Record<string, unknown>);
  if (sentence === failure.publicMessage && JSON.stringify(details) === JSON.stringify(failure.details))
    return failure;
  const { code, retryable, retryAfter, untrusted, origin } = failure;
  return new Failure(code, sentence, {
    retryable,
    untrusted,
    origin,
    cause: failure,
    retryAfter,
    details,
  });
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return thrown instanceof Error && typeof thrown.message === "string" ? thrown.message : "";
}
