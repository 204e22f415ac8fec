import { Failure } from "../../protocol/failure.ts";
import { isObject, parseJson } from "../../protocol/json.ts";
import type { DialectContext, WireResponse } from "../../protocol/provider.ts";
import {
  BAD_KEY,
  CODE_WORDS,
  FILTERED,
  impliedStatus,
  MODEL_SLIP,
  NO_ENDPOINT,
  NO_MEMORY,
  NOT_ALLOWED,
  OTHER_REGION,
  PLAN_LIMIT_REACHED,
  QUOTA_SPENT,
  RATE_LIMITED,
  TOO_MANY_BYTES,
  UNKNOWN_MODEL,
} from "./error-kinds.ts";
import { readOverflow } from "./overflow.ts";
import { limitResetSeconds, retryAfterSeconds } from "./retry-after.ts";

/** A vendor's error, as far as it could be read. */
export interface VendorError {
  message?: string;
  /** The sentences that the message was joined from, if there were several. */
  fragments?: string[];
  /** The kind of error: `type`, `code` and `status`, joined. */
  kind?: string;
  /** The HTTP status in the body, which may differ from the status of the response. */
  status?: number;
}

const QUOTE_LIMIT = 300;

/** What a person can do something about: the key, the account, the choice of the model, the question. */
type RefusalCause = "key" | "quota" | "model" | "rules";

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
  const kind = error.kind ?? "";
  const said = `${kind} ${error.message ?? ""}`.replace(WEB_ADDRESS, "");
  const status = statusOf(error, response.status, said);
  const who = vendorOf(context);
  const { name } = context.model;
  const key = context.keySetting ?? "its key";
  const quote = quoted(error.message);
  const options = { details: { upstreamStatus: status }, cause: error };
  const refused = (message: string, cause?: RefusalCause) => {
    const details = cause ? { ...options.details, cause } : options.details;
    return new Failure("UPSTREAM_ERROR", `${message}${quote}`, { ...options, details, retryable: false });
  };
  const passing = (message: string, code: "UPSTREAM_ERROR" | "UPSTREAM_TIMEOUT" = "UPSTREAM_ERROR") =>
    new Failure(code, `${message}${quote}`, {
      ...options,
      retryable: true,
      retryAfter: retryAfterSeconds(response.headers, body || error.message),
    });

  if (QUOTA_SPENT.test(said) || status === 402) {
    return refused(`The account at ${who} has no quota left, so trying again will not help yet.`, "quota");
  }
  if (PLAN_LIMIT_REACHED.test(said)) {
    return refused(`The plan at ${who} has reached its limit, so trying again will not help yet.`, "quota");
  }
  if (TOO_MANY_BYTES.test(said) && status < 429) return requestTooLarge(who, options);
  const overflow = readOverflow(kind, error.fragments ?? [error.message ?? ""], status);
  if (overflow) return contextTooLarge(context, { ...options, details: { ...options.details, ...overflow } });
  const notAllowed = () =>
    refused(
      `${who} does not let us use ${name}. Check what ${key} may use, or choose another model.`,
      "model",
    );
  if (NOT_ALLOWED.test(said) && status < 500) return notAllowed();
  if (status === 429 || (RATE_LIMITED.test(said) && status < 500)) {
    const [, most, sent] = TOKENS_PER_MINUTE.exec(said) ?? [];
    if (Number(sent) > Number(most))
      return refused(
        `${who} is limiting requests. This one alone has more tokens than it allows per minute, so only a shorter conversation or a higher limit helps.`,
      );
    const retryAfter =
      retryAfterSeconds(response.headers, body || error.message) ?? limitResetSeconds(response.headers, said);
    return passing(`${who} is limiting requests. Trying again ${inWords(retryAfter)} may help.`).withDetails(
      {},
      retryAfter,
    );
  }
  if (FILTERED.test(said) && status < 500) {
    return refused(
      `${who} refused the request because of its content rules. Rephrasing it may help.`,
      "rules",
    );
  }
  if (MODEL_SLIP.test(said))
    return passing("The model made a tool call that cannot be read. Trying again may help.");
  if (OTHER_REGION.test(said) && status < 500)
    return refused(`${who} does not serve the country or region of this server.`);
  if (NO_ENDPOINT.test(said))
    return refused(
      `${who} offers ${name}, but not with everything that this request or its account asks for.`,
    );
  if (UNKNOWN_MODEL.test(said) && status < 500) {
    return refused(
      `${who} does not know the model ${name}, or no longer offers it. Choose another model.`,
      "model",
    );
  }
  if (BAD_KEY.test(said) && status >= 400 && status <= 403)
    return refused(`${who} did not accept our key. Check ${key}.`, "key");
  if (NO_MEMORY.test(said))
    return refused(`${who} has too little memory for ${name}. Choose a smaller model.`);
  return byStatus(status, {
    who,
    name,
    key,
    refused,
    passing,
    notAllowed,
    context,
    options,
    said: body || said,
  });
}

interface Reading {
  who: string;
  name: string;
  key: string;
  refused(message: string, cause?: RefusalCause): Failure;
  passing(message: string, code?: "UPSTREAM_TIMEOUT"): Failure;
  notAllowed(): Failure;
  context: DialectContext;
  options: { cause: unknown; details: Record<string, unknown> };
  said: string;
}

/** Returns what the status of an error means, if its words say no more. */
function byStatus(
  status: number,
  { who, name, key, refused, passing, notAllowed, context, options, said }: Reading,
): Failure {
  // Cerebras and others send nothing else when a conversation is too long.
  if ((status === 400 || status === 413) && said.trim() === "") {
    return new Failure(
      "CONTEXT_TOO_LARGE",
      `${who} refused the request without a reason, most likely because the conversation is too long for ${context.modelId}. Shorten it or start a new session.`,
      { ...options, retryable: false },
    );
  }
  switch (status) {
    case 401:
      return refused(`${who} did not accept our key. Check ${key}.`, "key");
    case 403:
      // A page comes from something in between, which knows nothing of keys.
      return said.trimStart().startsWith("<") ? blocked(who, refused) : notAllowed();
    case 407:
      return blocked(who, refused);
    case 404:
      return refused(`${who} does not know the model ${name}, or the address is wrong.`, "model");
    case 408:
    case 504:
      return passing(`${who} took too long. Trying again may help.`, "UPSTREAM_TIMEOUT");
    case 424:
    case 499:
      return passing(`${who} stopped halfway. Trying again may help.`);
    case 409:
    case 425:
      return passing(`${who} had a conflict with another request. Trying again may help.`);
    case 413:
      return requestTooLarge(who, options);
    case 498:
      return passing(`${who} has no free capacity. Trying again may help.`);
    case 501:
      return refused(`${who} cannot do what the request asks for.`);
  }
  if (status >= 500) return passing(`${who} had an internal error. Trying again may help.`);
  return refused(`${who} did not accept the request, and would not accept it again.`);
}

function blocked(who: string, refused: Reading["refused"]): Failure {
  return refused(
    `A proxy or firewall on the way to ${who} blocked the request. Check the network and the base URL.`,
  );
}

/** Failures whose reason is not known yet. `explained` looks for it. */
const unexplained = new WeakSet<Failure>();

function unexplainedFailure(
  message: string,
  options: { cause?: unknown; details?: Record<string, unknown> },
) {
  const failure = new Failure("UPSTREAM_ERROR", `${message} Trying again may help.`, {
    ...options,
    retryable: true,
  });
  unexplained.add(failure);
  return failure;
}

/**
 * Returns a failure with its reason, if what came last says it: many vendors and gateways report an error in a form of their
 * own, with status 200.
 */
export function explained(failure: Failure, last: unknown, context: DialectContext): Failure {
  const error = unexplained.has(failure) ? readComplaint(last) : undefined;
  return error ? vendorFailure(error, context) : failure;
}

/** Reads an error in any form. Undefined for a part of an answer, which has no message. */
export function readComplaint(value: unknown): VendorError | undefined {
  const isText = typeof value === "string";
  if (!isText && (typeof value !== "object" || value === null)) return undefined;
  const error = readErrorBody(isText ? value : JSON.stringify(value));
  return error.message ? error : undefined;
}

/** The failure for a stream that ended before the answer did. */
export function cutOff(context: DialectContext, cause?: unknown): Failure {
  return unexplainedFailure(`The answer of ${vendorOf(context)} broke off before its end.`, { cause });
}

/** The failure for a frame or body that does not fit the dialect. */
export function unreadable(context: DialectContext, cause?: unknown): Failure {
  return unexplainedFailure(`The answer of ${vendorOf(context)} could not be read.`, { cause });
}

/** The failure for an answer without text or calls. */
export function emptyAnswer(context: DialectContext): Failure {
  // Reasoning that was shown does not prevent a retry.
  return unexplainedFailure(`${vendorOf(context)} gave an empty answer.`, { details: { emptyAnswer: true } });
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
  who: string,
  options: { cause: unknown; details: Record<string, unknown> },
): Failure {
  return new Failure(
    "TOO_LARGE",
    `The conversation has more data than ${who} takes at once. Leave out images or start a new session.`,
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
  const parsed = parseJson(body);
  // Gemini's streaming endpoint wraps its error in an array.
  const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (isObject(value)) return readVendorError(value) ?? describe(value);
  if (typeof value === "string") return { message: value };
  // A proxy's HTML page is no use in a message.
  return value !== undefined || /^\s*</.test(body) ? {} : { message: body.trim() };
}

const KIND_FIELDS = [
  "__type",
  "type",
  "code",
  "status",
  "status_code",
  "error_type",
  "error_code",
  "errorType",
];
/** Where vendors put what they say, outermost first. Messages may be objects, lists or JSON in a string. */
const MESSAGE_FIELDS = [
  "message",
  "Message",
  "msg",
  "error_msg",
  "errorMessage",
  "title",
  "detail",
  "error",
  "errors",
  "metadata",
  "raw",
  "base_resp",
  "status_msg",
];

function describe(error: Record<string, unknown>): VendorError {
  const kinds: string[] = [];
  const fragments: string[] = [];
  collect(error, kinds, fragments, 0);
  const words = kinds.flatMap((kind) => CODE_WORDS[kind] ?? []);
  return {
    message: fragments.join(": ") || undefined,
    ...(fragments.length > 1 && { fragments }),
    kind: [...kinds, ...words].join(" ") || undefined,
    status: kinds.map(Number).find((status) => status >= 400 && status < 600),
  };
}

function collect(value: unknown, kinds: string[], fragments: string[], depth: number): void {
  if (typeof value === "string") collectText(value.trim(), kinds, fragments, depth);
  if (Array.isArray(value)) for (const item of value.slice(0, 5)) collect(item, kinds, fragments, depth + 1);
  if (!isObject(value) || depth > 6) return;
  kinds.push(...KIND_FIELDS.map((field) => text(value[field])).filter((kind) => kind !== undefined));
  // A moderation error has reasons, and a validation error the place that it is about.
  if (Array.isArray(value.reasons)) kinds.push("moderation");
  const place = Array.isArray(value.loc) ? `${value.loc.join(".")}: ` : "";
  if (place && typeof value.msg === "string") fragments.push(place + value.msg);
  else for (const field of MESSAGE_FIELDS) collect(value[field], kinds, fragments, depth + 1);
}

/** The longest text of a vendor behind a gateway that is read. */
const INNER_LIMIT = 4000;

function collectText(said: string, kinds: string[], fragments: string[], depth: number): void {
  if (said === "" || (depth > 1 && (said.length > INNER_LIMIT || said.startsWith("<")))) return;
  const at = said.search(/\{|\[\s*\{/);
  const inner = at === -1 ? undefined : parseJson(said.slice(at));
  if (isObject(inner) || Array.isArray(inner)) {
    const before = said.slice(0, at).trim();
    if (before !== "") fragments.push(before);
    collect(inner, kinds, fragments, depth + 1);
  } else if (!fragments.includes(said)) fragments.push(said);
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function statusOf(error: VendorError, status: number, said: string): number {
  return status >= 400 ? status : (error.status ?? impliedStatus(error.kind ?? "", said));
}

/** Returns a wait in the largest unit that fits: `in 3 hours`. */
function inWords(seconds = 0): string {
  if (seconds < 90) return "in a moment";
  return seconds < 5400 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${Math.ceil(seconds / 3600)} hours`;
}

const TOKENS_PER_MINUTE = /Limit (\d+), (?:Used \d+, )?Requested (\d+)/i;
const WEB_ADDRESS = /\bhttps?:\/\/\S+/gi;

/** Returns the vendor's display name. */
export function vendorOf(context: DialectContext): string {
  return context.label ?? context.modelId.split("/", 1)[0] ?? "The provider";
}

function quoted(message: string | undefined): string {
  const safe = message === undefined ? "" : quotable(message);
  return safe === "" ? "" : ` It says: ${safe}`;
}

/** Returns a vendor's message as it may be quoted to people: shortened, without keys, URL credentials and email addresses. */
export function quotable(message: string): string {
  const safe = message
    .slice(0, 4000)
    .replace(/\b(https?:\/\/)(?:[^\s/@"']*@)?([^\s?#"')]*)[^\s"')]*/gi, "$1$2")
    .replace(/\bBearer\s+\S+/gi, "Bearer [removed]")
    .replace(/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, "[removed]")
    .replace(/\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf|org|key|AIza|ghp|AKIA|AQ\.)[-_]?[\w*.-]{12,}/g, "[removed]")
    .replace(/(?=[\w+=]*\d)(?=[\w+=]*[a-zA-Z])[\w+=]{24,}/g, "[removed]")
    .replace(/\s+/g, " ")
    .trim();
  return safe.length > QUOTE_LIMIT
    ? `${Array.from(safe)
        .slice(0, QUOTE_LIMIT - 1)
        .join("")}…`
    : safe;
}
