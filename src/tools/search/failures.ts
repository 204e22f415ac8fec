import { errorCodeOf } from "../../contain/fetch-failure.ts";
import { retryAfterIn } from "../../protocol/abortable.ts";
import { Failure, type FailureOptions } from "../../protocol/failure.ts";
import { isObject, parseJson } from "../../protocol/json.ts";
import type { SearchProvider, Trouble } from "./provider.ts";

const MAX_REASON = 200;
const MAX_RETRY_AFTER = 7 * 86_400;
/** How long to wait for a busy provider that names no time. */
const USUAL_RETRY_AFTER = 60;
/** The errors of a machine without a network. */
const OFFLINE = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"]);

/** An answer with an error status. */
export interface RefusedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Explains an error status: change the arguments, the key or the setup, or wait. */
export function statusFailure(provider: SearchProvider, { status, headers, body }: RefusedAnswer): Failure {
  const { label, keySetting, baseUrlSetting, setup = "" } = provider;
  const reason = reasonIn(body);
  const said = reason === "" ? "" : ` It says: ${reason}`;
  const untrusted = reason !== "";
  const failed = (message: string, options: FailureOptions) =>
    new Failure("UPSTREAM_ERROR", message, { details: { upstreamStatus: status }, ...options });
  switch (troubleOf(provider, status)) {
    case "arguments":
      return new Failure(
        "TOOL_INVALID_ARGUMENTS",
        `${label} does not accept this search.${said} Change the query, then try again.`,
        { details: { upstreamStatus: status }, untrusted },
      );
    case "key":
      return failed(
        `${label} refused the key. Check the key that you stored, or ${keySetting ?? baseUrlSetting} of this server. Trying again will not help.`,
        { retryable: false },
      );
    case "busy": {
      const retryAfter = retryAfterOf(headers);
      const message = `${label} takes no more searches at the moment: its rate limit is reached.${said}`;
      // The breaker counts any other status than 429 as an outage.
      const details = { upstreamStatus: 429 };
      return failed(message, { details, untrusted, retryAfter });
    }
    case "exhausted":
      return failed(
        `The quota at ${label} is used up.${said} Trying again will not help until it is renewed.`,
        { retryable: false, untrusted },
      );
    case "setup":
      return failed(
        `${label} does not answer as it should (status ${status}). The operator of this server can correct ${baseUrlSetting}. ${setup}`.trim(),
        { retryable: false },
      );
    case "outage":
      return new Failure(
        status === 408 || status === 504 ? "UPSTREAM_TIMEOUT" : "UPSTREAM_ERROR",
        `${label} had an internal error (status ${status}). Trying again later may help.`,
        { details: { upstreamStatus: status } },
      );
  }
}

/** Explains a failed connection without naming an address or anything about the network. */
export function connectionFailure({ label, baseUrlSetting }: SearchProvider, cause: Failure): Failure {
  const { code, retryable } = cause;
  if (code === "UPSTREAM_TIMEOUT")
    return new Failure(code, `${label} did not answer in time. Trying again may help.`, { cause });
  if (code === "TOO_LARGE") return unreadable(label, "an answer that is too large", cause);
  const failed = (message: string, mayRetry: boolean) =>
    new Failure("UPSTREAM_ERROR", message, { cause, retryable: mayRetry });
  if (code === "UPSTREAM_ERROR" && OFFLINE.has(errorCodeOf(cause.cause)))
    return failed(
      `${label} cannot be reached: this server seems to have no network. Without it, an answer rests on what the model knows, and should say so.`,
      true,
    );
  if (code === "UPSTREAM_ERROR" && retryable)
    return failed(`The connection to ${label} could not be made, or broke off. Trying again may help.`, true);
  return failed(
    `${label} cannot be asked at its address. The operator of this server can correct ${baseUrlSetting}.`,
    false,
  );
}

/** The failure for a successful answer that cannot be used. */
export function unreadable(label: string, what: string, cause?: unknown): Failure {
  return new Failure("UPSTREAM_ERROR", `${label} sent ${what}. Trying again later may help.`, {
    cause,
    details: { unreadable: true },
  });
}

/** Adds the number of retries to a failure, and when to try again. */
export function afterRetries(failure: Failure, retryCount: number): Failure {
  const busy = failure.details?.upstreamStatus === 429;
  return failure.withDetails({ retryCount }, failure.retryAfter ?? (busy ? USUAL_RETRY_AFTER : undefined));
}

/** Whether an immediate retry may succeed: the provider is busy or has an outage, or the connection broke. */
export function worthRetrying({ code, retryable, details, cause }: Failure): boolean {
  if ((code !== "UPSTREAM_ERROR" && code !== "UPSTREAM_TIMEOUT") || !retryable) return false;
  if (details?.unreadable === true) return false;
  // A host name that does not exist will not exist in a second either.
  return !(cause instanceof Failure && errorCodeOf(cause.cause) === "ENOTFOUND");
}

function troubleOf({ statuses }: SearchProvider, status: number): Trouble {
  const own = statuses?.[status];
  if (own) return own;
  if (status === 401 || status === 403) return "key";
  if (status === 429) return "busy";
  if (status === 402) return "exhausted";
  if ([400, 413, 414, 422].includes(status)) return "arguments";
  return status === 408 || status === 425 || status >= 500 ? "outage" : "setup";
}

/** The provider's own words: `{error}`, `{message}`, `{detail: {error}}`. Web pages are ignored. */
function reasonIn(body: string): string {
  // An error page of a proxy says nothing useful.
  const parsed = parseJson(body) ?? "";
  const line = textIn(parsed, 0).replace(/\s+/g, " ").trim().slice(0, MAX_REASON).toWellFormed();
  return line === "" || /[.!?]$/.test(line) ? line : `${line}.`;
}

function textIn(value: unknown, depth: number): string {
  if (typeof value === "string") return value;
  if (!isObject(value) || depth > 2) return "";
  for (const key of ["error", "message", "detail"]) {
    const text = textIn(value[key], depth + 1);
    if (text !== "") return text;
  }
  return "";
}

function retryAfterOf(headers: RefusedAnswer["headers"]): number | undefined {
  const seconds = retryAfterIn(headers["retry-after"]);
  if (seconds === undefined) return undefined;
  return Math.min(Math.max(1, Math.ceil(seconds)), MAX_RETRY_AFTER);
}
