import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import type { SearchProvider, Trouble } from "./provider.ts";

const MAX_REASON = 200;
const MAX_RETRY_AFTER = 7 * 86_400;
/** What a busy provider is given where it does not say how long it needs. */
const USUAL_RETRY_AFTER = 60;
/** How a machine without a network fails. */
const OFFLINE = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"]);

/** An answer that is not a success. */
export interface RefusedAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a status means for the caller: whether to change the arguments, the key or the setup, or to wait. */
export function statusFailure(provider: SearchProvider, answer: RefusedAnswer): Failure {
  const { label } = provider;
  const { status } = answer;
  const reason = reasonIn(answer.body);
  const said = reason === "" ? "" : ` It says: ${reason}`;
  const details = { upstreamStatus: status };
  const untrusted = reason !== "";
  switch (troubleOf(provider, status)) {
    case "arguments":
      return new Failure(
        "TOOL_INVALID_ARGUMENTS",
        `${label} does not accept this search.${said} Change the query, then try again.`,
        { details, untrusted },
      );
    case "key":
      return new Failure(
        "UPSTREAM_ERROR",
        `${label} refused the key. Check the key that you stored, or ${provider.keySetting ?? provider.baseUrlSetting} of this server. Trying again will not help.`,
        { details, retryable: false },
      );
    case "busy": {
      const retryAfter = retryAfterOf(answer.headers);
      return new Failure(
        "UPSTREAM_ERROR",
        `${label} takes no more searches at the moment: its rate limit is reached.${said}`,
        // By this status a busy provider is told apart from one in trouble: it does not open the breaker.
        { details: { upstreamStatus: 429 }, untrusted, ...(retryAfter === undefined ? {} : { retryAfter }) },
      );
    }
    case "exhausted":
      return new Failure(
        "UPSTREAM_ERROR",
        `The quota at ${label} is used up.${said} Trying again will not help until it is renewed.`,
        { details, retryable: false, untrusted },
      );
    case "setup":
      return new Failure(
        "UPSTREAM_ERROR",
        `${label} does not answer as it should (status ${status}). Whoever runs this server can correct ${provider.baseUrlSetting}. ${provider.setup ?? ""}`.trim(),
        { details, retryable: false },
      );
    case "outage":
      return new Failure(
        status === 408 || status === 504 ? "UPSTREAM_TIMEOUT" : "UPSTREAM_ERROR",
        `${label} has a problem of its own (status ${status}). Trying again later may help.`,
        { details },
      );
  }
}

/** What a broken connection means, in words that name neither an address nor the inside of the network. */
export function connectionFailure({ label, baseUrlSetting }: SearchProvider, failure: Failure): Failure {
  const options = { cause: failure };
  if (failure.code === "UPSTREAM_TIMEOUT") {
    return new Failure(
      "UPSTREAM_TIMEOUT",
      `${label} did not answer in time. Trying again may help.`,
      options,
    );
  }
  if (failure.code === "TOO_LARGE") return unreadable(label, "an answer that is too large", failure);
  if (failure.code === "UPSTREAM_ERROR" && OFFLINE.has(codeOf(failure.cause))) {
    return new Failure(
      "UPSTREAM_ERROR",
      `${label} cannot be reached: this server seems to have no network. Answer from what is known, and say so.`,
      options,
    );
  }
  if (failure.code === "UPSTREAM_ERROR" && failure.retryable) {
    return new Failure(
      "UPSTREAM_ERROR",
      `The connection to ${label} could not be made, or broke off. Trying again may help.`,
      options,
    );
  }
  return new Failure(
    "UPSTREAM_ERROR",
    `${label} cannot be asked at its address. Whoever runs this server can correct ${baseUrlSetting}.`,
    { ...options, retryable: false },
  );
}

/** The failure of an answer that came, but is of no use. */
export function unreadable(label: string, what: string, cause?: unknown): Failure {
  return new Failure("UPSTREAM_ERROR", `${label} sent ${what}. Trying again later may help.`, {
    cause,
    details: { unreadable: true },
  });
}

/** A failure that is final for this call: with how often it was tried, and when to come back. */
export function afterRetries(failure: Failure, retryCount: number): Failure {
  const { code, publicMessage, retryable, details, untrusted } = failure;
  const busy = details?.upstreamStatus === 429;
  const retryAfter = failure.retryAfter ?? (busy ? USUAL_RETRY_AFTER : undefined);
  return new Failure(code, publicMessage, {
    retryable,
    untrusted,
    cause: failure.cause,
    details: { ...details, retryCount },
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Whether asking again at once has a chance: busy, in trouble, or the connection broke. */
export function worthRetrying({ code, retryable, details, cause }: Failure): boolean {
  if ((code !== "UPSTREAM_ERROR" && code !== "UPSTREAM_TIMEOUT") || !retryable) return false;
  if (details?.unreadable === true) return false;
  // A name that does not exist will not exist in a second either.
  return !(cause instanceof Failure && codeOf(cause.cause) === "ENOTFOUND");
}

function troubleOf({ statuses }: SearchProvider, status: number): Trouble {
  const own = statuses?.[status];
  if (own) return own;
  if (status === 401 || status === 403) return "key";
  if (status === 429) return "busy";
  if (status === 402) return "exhausted";
  if (status === 400 || status === 413 || status === 414 || status === 422) return "arguments";
  return status === 408 || status === 425 || status >= 500 ? "outage" : "setup";
}

/** What the provider says is wrong: `{error}`, `{message}`, `{detail: {error}}`; never a web page. */
function reasonIn(body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return ""; // Pages of proxies say nothing that helps.
  }
  const text = textIn(parsed, 0);
  const line = text.replace(/\s+/g, " ").trim().slice(0, MAX_REASON).toWellFormed();
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
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1_000;
  if (!Number.isFinite(seconds)) return undefined;
  return Math.min(Math.max(1, Math.ceil(seconds)), MAX_RETRY_AFTER);
}

function codeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return "";
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  if (thrown instanceof AggregateError) return codeOf(thrown.errors[0]);
  return "cause" in thrown ? codeOf(thrown.cause) : "";
}
