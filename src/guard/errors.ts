import { Failure, type FailureCode, toFailure } from "../protocol/failure.ts";
import { redact, redactDeep } from "./redact/redact.ts";

export { redact };

const MAX_SENTENCE = 1_000;
const MAX_CAUSES = 5;

/** What the system calls an error, and what a person is told of it. */
const SYSTEM: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ENOSPC: ["STORAGE_FULL", "There is no space left to store this. Free some space, then try again."],
  EDQUOT: ["STORAGE_FULL", "The storage quota is used up. Free some space, then try again."],
  SQLITE_FULL: ["STORAGE_FULL", "The database has no space left. Free some space, then try again."],
  EACCES: ["FORBIDDEN", "The server has no permission to do this."],
  EPERM: ["FORBIDDEN", "The server has no permission to do this."],
  EROFS: ["FORBIDDEN", "That place can only be read, not written."],
  ENOENT: ["NOT_FOUND", "What was asked for does not exist."],
  EEXIST: ["CONFLICT", "Something of that name exists already."],
  ENOTEMPTY: ["CONFLICT", "The folder is not empty."],
  EISDIR: ["INVALID_INPUT", "That is a folder, where a file is needed."],
  ENOTDIR: ["INVALID_INPUT", "That is a file, where a folder is needed."],
  ENAMETOOLONG: ["INVALID_INPUT", "The name is too long."],
  EMFILE: ["RESOURCE_EXHAUSTED", "Too many files are open at the moment. Try again in a little while."],
  ENFILE: ["RESOURCE_EXHAUSTED", "Too many files are open at the moment. Try again in a little while."],
  ENOMEM: [
    "RESOURCE_EXHAUSTED",
    "There is not enough memory for this at the moment. Try again in a little while.",
  ],
  EAGAIN: [
    "RESOURCE_EXHAUSTED",
    "The server is too busy for this at the moment. Try again in a little while.",
  ],
  SQLITE_BUSY: ["RESOURCE_EXHAUSTED", "The database is busy. Try again in a moment."],
  ETIMEDOUT: ["UPSTREAM_TIMEOUT", "The other side did not answer in time. Trying again may help."],
  ESOCKETTIMEDOUT: ["UPSTREAM_TIMEOUT", "The other side did not answer in time. Trying again may help."],
  UND_ERR_CONNECT_TIMEOUT: ["UPSTREAM_TIMEOUT", "No connection came about in time. Trying again may help."],
  UND_ERR_HEADERS_TIMEOUT: [
    "UPSTREAM_TIMEOUT",
    "The other side did not answer in time. Trying again may help.",
  ],
  UND_ERR_BODY_TIMEOUT: ["UPSTREAM_TIMEOUT", "The answer stopped coming. Trying again may help."],
  ECONNREFUSED: [
    "UPSTREAM_ERROR",
    "The other side refused the connection. It may be down; trying again later may help.",
  ],
  ECONNRESET: ["UPSTREAM_ERROR", "The connection broke off. Trying again may help."],
  EPIPE: ["UPSTREAM_ERROR", "The connection broke off. Trying again may help."],
  UND_ERR_SOCKET: ["UPSTREAM_ERROR", "The connection broke off. Trying again may help."],
  EHOSTUNREACH: ["UPSTREAM_ERROR", "The other side cannot be reached. Check the network, then try again."],
  ENETUNREACH: ["UPSTREAM_ERROR", "The network cannot be reached. Check it, then try again."],
  ENOTFOUND: [
    "UPSTREAM_ERROR",
    "The name of the other side was not found. Check the address and the network.",
  ],
  EAI_AGAIN: [
    "UPSTREAM_ERROR",
    "Names cannot be looked up at the moment. Check the network, then try again.",
  ],
  CERT_HAS_EXPIRED: [
    "UPSTREAM_ERROR",
    "The certificate of the other side has expired, so it was not trusted.",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["UPSTREAM_ERROR", "The certificate of the other side is not trusted."],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["UPSTREAM_ERROR", "The certificate of the other side is not trusted."],
};

/** Layer 5: what may be shown of anything that was thrown: a code, a clean sentence, never a stack. Never throws. */
export function cleanFailure(thrown: unknown): Failure {
  try {
    const failure = thrown instanceof Failure ? thrown : (systemFailure(thrown) ?? toFailure(thrown));
    return cleaned(failure);
  } catch (odd) {
    return toFailure(odd instanceof Failure ? undefined : odd);
  }
}

/** What a tool threw, as the result of its call: its words help the model to correct itself. Never throws. */
export function toolFailure(thrown: unknown): Failure {
  const known = cleanFailure(thrown);
  if (known.code !== "INTERNAL" || thrown instanceof Failure) return known;
  const sentence = messageOf(thrown);
  if (sentence === "") return known;
  return new Failure("TOOL_FAILED", redact(sentence).slice(0, MAX_SENTENCE), { cause: thrown });
}

/** The failure that a system error stands for, found also where it is the cause of another error. */
function systemFailure(thrown: unknown): Failure | undefined {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    if (error.name === "AbortError") return undefined;
    if (error.name === "TimeoutError")
      return new Failure("UPSTREAM_TIMEOUT", "It did not finish in time. Trying again may help.", {
        cause: thrown,
      });
    const code = "code" in error && typeof error.code === "string" ? error.code : "";
    const known = Object.hasOwn(SYSTEM, code) ? SYSTEM[code] : undefined;
    if (known) return new Failure(known[0], known[1], { cause: thrown });
    error = error.cause;
  }
  return undefined;
}

function cleaned(failure: Failure): Failure {
  const sentence = redact(failure.publicMessage);
  const details = failure.details && (redactDeep(failure.details) as Record<string, unknown>);
  if (sentence === failure.publicMessage && JSON.stringify(details) === JSON.stringify(failure.details))
    return failure;
  const { code, retryable, retryAfter, untrusted } = failure;
  return new Failure(code, sentence, {
    retryable,
    untrusted,
    cause: failure,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(details === undefined ? {} : { details }),
  });
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return thrown instanceof Error && typeof thrown.message === "string" ? thrown.message : "";
}
