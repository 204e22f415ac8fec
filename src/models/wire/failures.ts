import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import type { DialectContext, WireResponse } from "../../protocol/model.ts";
import { retryAfterSeconds } from "./retry-after.ts";

/** A vendor's error, as far as it could be read. */
export interface VendorError {
  message?: string;
  /** The kind of error: `type`, `code` and `status`, joined. */
  kind?: string;
  /** The HTTP status in the body, which may differ from the status of the response. */
  status?: number;
}

const QUOTE_LIMIT = 300;
const CONTEXT_TOO_LONG =
  /context.?(length|window|size|limit)|maximum (context|prompt|input)|(prompt|input|request|conversation|messages?) (is|are|was|were|has|have)? ?too (long|large|many)|too many (input )?tokens|token count .{0,40}exceeds|reduce (the length|your (message|prompt))|exceeds? .{0,40}(context|max(imum)?.{0,20}tokens)|string_above_max_length|request_too_large/i;
const QUOTA_SPENT =
  /insufficient_quota|insufficient.{0,12}(balance|credit|fund)|exceeded your current quota|credit balance|billing|payment required|余额不足/i;
const FILTERED =
  /content_filter|content.?policy|moderation_blocked|content management policy|responsible ?ai|safety system|data_inspection|sensitive content|content_policy_violation/i;
/** The model wrote a call that its vendor could not read. A retry may work. */
const MODEL_SLIP = /tool_use_failed|malformed.?function|tool call validation failed/i;
const BUSY = /rate.?limit|too.?many.?requests|resource.?exhausted|throttl/i;
const OVERLOADED =
  /overload|unavailable|internal|server_error|server error|api_error|bad gateway|timed? ?out|timeout|engine|capacity|try again/i;
const BAD_KEY =
  /invalid.{0,8}api.?key|authentication|unauthori[sz]ed|incorrect api key|api key not valid|no auth/i;

/** Returns what a response with an error status means. */
export function statusFailure(response: WireResponse, body: string, context: DialectContext): Failure {
  return vendorFailure(readErrorBody(body), context, response, body);
}

/** Returns what an error of a vendor means, whether it came as a status or inside a stream. */
export function vendorFailure(
  error: VendorError,
  context: DialectContext,
  response: WireResponse = { status: 200, headers: {} },
  body = "",
): Failure {
  const said = `${error.kind ?? ""} ${error.message ?? ""}`;
  const status = statusOf(error, response.status, said);
  const who = vendorOf(context);
  const quote = quoted(error.message);
  const options = { details: { upstreamStatus: status }, cause: error };
  const refused = (message: string) =>
    new Failure("UPSTREAM_ERROR", `${message}${quote}`, { ...options, retryable: false });
  const passing = (message: string, code: "UPSTREAM_ERROR" | "UPSTREAM_TIMEOUT" = "UPSTREAM_ERROR") =>
    new Failure(code, `${message}${quote}`, {
      ...options,
      retryable: true,
      retryAfter: retryAfterSeconds(response.headers, body || error.message),
    });

  if (status < 429 && CONTEXT_TOO_LONG.test(said)) return contextTooLarge(context, options);
  if (QUOTA_SPENT.test(said) || status === 402) {
    return refused(`The account at ${who} has no quota left, so trying again will not help yet.`);
  }
  if (status === 429) return passing(`${who} is limiting requests. Trying again in a moment may help.`);
  if (FILTERED.test(said) && status < 500) {
    return refused(`${who} refused the request because of its content rules. Rephrasing it may help.`);
  }
  if (MODEL_SLIP.test(said))
    return passing("The model made a tool call that cannot be read. Trying again may help.");
  switch (status) {
    case 401:
      return refused(`${who} did not accept our key. Check ${context.keySetting ?? "its key"}.`);
    case 403:
      return refused(
        `${who} does not let us use ${context.model.name}. Check what ${context.keySetting ?? "its key"} may use, or choose another model.`,
      );
    case 404:
      return refused(`${who} does not know the model ${context.model.name}, or the address is wrong.`);
    case 408:
    case 504:
      return passing(`${who} took too long. Trying again may help.`, "UPSTREAM_TIMEOUT");
    case 409:
      return passing(`${who} had a conflict with another request. Trying again may help.`);
    case 413:
      return requestTooLarge(context, options);
  }
  if (status >= 500) return passing(`${who} has a problem of its own. Trying again may help.`);
  return refused(`${who} did not accept the request, and would not accept it again.`);
}

/** The failure for a stream that ended before the answer did. */
export function cutOff(context: DialectContext, cause?: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The answer of ${vendorOf(context)} broke off before its end. Trying again may help.`,
    {
      retryable: true,
      cause,
    },
  );
}

/** The failure for a frame or body that does not fit the dialect. */
export function unreadable(context: DialectContext, cause?: unknown): Failure {
  return new Failure(
    "UPSTREAM_ERROR",
    `The answer of ${vendorOf(context)} could not be read. Trying again may help.`,
    { retryable: true, cause },
  );
}

/** The failure for an answer without text or calls. */
export function emptyAnswer(context: DialectContext): Failure {
  return new Failure("UPSTREAM_ERROR", `${vendorOf(context)} gave an empty answer. Trying again may help.`, {
    retryable: true,
    // Reasoning that was shown does not prevent a retry.
    details: { emptyAnswer: true },
  });
}

/** The failure for a conversation that exceeds the model's context window. */
export function contextTooLarge(
  context: DialectContext,
  options: { cause?: unknown; details?: Record<string, unknown> } = {},
): Failure {
  return new Failure(
    "CONTEXT_TOO_LARGE",
    `The conversation is too long for ${context.modelId}. Shorten it, start a new session, or choose a model with more room.`,
    { ...options, retryable: false },
  );
}

/** The failure for a request with more bytes than the vendor takes, mostly because of images. */
function requestTooLarge(
  context: DialectContext,
  options: { cause?: unknown; details?: Record<string, unknown> },
) {
  return new Failure(
    "CONTEXT_TOO_LARGE",
    `The conversation has more data than ${vendorOf(context)} takes at once. Leave out images or start a new session.`,
    { ...options, retryable: false },
  );
}

/** Reads `{error: {...}}`, `{error: "..."}` and `{message}`, the usual forms of errors. */
export function readVendorError(body: unknown): VendorError | undefined {
  if (!isObject(body)) return undefined;
  const error = body.error ?? (body.object === "error" || body.type === "error" ? body : undefined);
  if (typeof error === "string") return { message: error, kind: text(body.code) ?? text(body.type) };
  if (isObject(error)) return describe(error);
  return undefined;
}

/** Reads an error body, which may not be JSON. */
export function readErrorBody(body: string): VendorError {
  try {
    const parsed: unknown = JSON.parse(body);
    // Gemini's streaming endpoint wraps its error in an array.
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return readVendorError(value) ?? (isObject(value) ? describe(value) : {});
  } catch {
    // A proxy's HTML page is no use in a message.
    return /^\s*</.test(body) ? {} : { message: body.trim() };
  }
}

function describe(error: Record<string, unknown>): VendorError {
  const kinds = [error.type, error.code, error.status, error.status_code]
    .map(text)
    .filter((kind) => kind !== undefined);
  const inner = isObject(error.metadata) ? text(error.metadata.raw) : undefined;
  const message = text(error.message) ?? text(error.msg) ?? text(error.detail);
  return {
    message: inner && inner.length < 500 ? [message, inner].filter(Boolean).join(": ") : message,
    kind: kinds.join(" ") || undefined,
    status: kinds.map(Number).find((status) => status >= 400 && status < 600),
  };
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The status that an error kind stands for, for errors inside a stream that began with 200. */
const STATUS_OF_KIND: readonly (readonly [RegExp, number])[] = [
  [/permission|forbidden|access.?denied/i, 403],
  [/authenticat|unauthori[sz]ed|invalid_api_key/i, 401],
  [/billing|insufficient_quota/i, 402],
  [/request_too_large|payload.?too.?large/i, 413],
  [/not.?found/i, 404],
  [/invalid.?(request|argument|prompt|image)|bad.?request|failed_precondition|unsupported/i, 400],
  [/timeout|deadline/i, 504],
];

function statusOf(error: VendorError, status: number, said: string): number {
  if (status >= 400) return status;
  if (error.status !== undefined) return error.status;
  if (BUSY.test(said)) return 429;
  const kind = STATUS_OF_KIND.find(([pattern]) => pattern.test(error.kind ?? ""));
  if (kind) return kind[1];
  if (BAD_KEY.test(said)) return 401;
  if (CONTEXT_TOO_LONG.test(said) || FILTERED.test(said)) return 400;
  return OVERLOADED.test(said) ? 503 : 502;
}

/** Returns the vendor's display name. */
export function vendorOf(context: DialectContext): string {
  return context.label ?? context.modelId.split("/", 1)[0] ?? "The provider";
}

function quoted(message: string | undefined): string {
  const safe = message === undefined ? "" : withoutSecrets(message);
  return safe === "" ? "" : ` It says: ${safe}`;
}

/** Returns a vendor's message without keys, URL credentials and email addresses, shortened. */
export function withoutSecrets(message: string): string {
  const safe = message
    .slice(0, 4000)
    .replace(/\b(https?:\/\/)(?:[^\s/@"']*@)?([^\s?#"')]*)[^\s"')]*/gi, "$1$2")
    .replace(/\bBearer\s+\S+/gi, "Bearer [removed]")
    .replace(/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, "[removed]")
    .replace(/\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf|org|key|AIza|ghp|AKIA)[-_]?[\w*.-]{12,}/g, "[removed]")
    .replace(/(?=[\w+=]*\d)(?=[\w+=]*[a-zA-Z])[\w+=]{24,}/g, "[removed]")
    .replace(/\s+/g, " ")
    .trim();
  return safe.length > QUOTE_LIMIT
    ? `${Array.from(safe)
        .slice(0, QUOTE_LIMIT - 1)
        .join("")}…`
    : safe;
}
