import { Failure } from "../protocol/failure.ts";

/** What a fetch was doing when it failed. */
export interface FetchPhase {
  /** The host comes from a redirect, not from the caller, so messages do not name it. */
  redirected: boolean;
  readonly hostname: string;
  timedOut: boolean;
}

const NOT_FOUND = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "ENODATA"]);
const TIMED_OUT = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);
const NOT_REACHED = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ENETDOWN"]);
const CERTIFICATE = /^(CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const PACKING = /^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_.*FORMAT|ZSTD_)/;

/** Explains a failed fetch without naming an address or anything about the network. */
export function fetchFailure(thrown: unknown, phase: FetchPhase): Failure {
  if (thrown instanceof Failure) return redirectedFailure(thrown, phase);
  const host = phase.redirected ? "the host that the page redirects to" : `"${phase.hostname}"`;
  const code = errorCodeOf(thrown);
  if (phase.timedOut || TIMED_OUT.has(code)) {
    return new Failure("UPSTREAM_TIMEOUT", `The answer of ${host} took too long. Trying again may help.`, {
      cause: thrown,
    });
  }
  if (NOT_FOUND.has(code)) {
    const retryable = code === "EAI_AGAIN";
    return upstream(`The name of ${host} could not be found. Check the address.`, thrown, retryable);
  }
  if (NOT_REACHED.has(code)) return upstream(`No connection to ${host} could be made.`, thrown);
  if (CERTIFICATE.test(code)) {
    return upstream(`The certificate of ${host} is not valid, so it is not read.`, thrown, false);
  }
  if (PACKING.test(code)) return upstream("The answer is damaged: it could not be unpacked.", thrown, false);
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return new Failure("TOO_LARGE", "The headers of the answer are larger than what is read.", {
      cause: thrown,
    });
  }
  return upstream(`The connection to ${host} broke off. Trying again may help.`, thrown);
}

function redirectedFailure(failure: Failure, phase: FetchPhase): Failure {
  if (!phase.redirected || failure.code !== "INVALID_INPUT") return failure;
  return new Failure("INVALID_INPUT", `The page redirects elsewhere. ${failure.publicMessage}`, {
    cause: failure,
  });
}

function upstream(sentence: string, cause: unknown, retryable = true): Failure {
  return new Failure("UPSTREAM_ERROR", sentence, { cause, retryable });
}

/** The code of an error or its cause. For several connection attempts, the code of the first. */
export function errorCodeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return "";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  if (thrown instanceof AggregateError) return errorCodeOf(thrown.errors[0]);
  return "cause" in thrown ? errorCodeOf(thrown.cause) : "";
}
