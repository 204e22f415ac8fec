// What the words and codes of a vendor's error mean, whatever its status. Web addresses are removed first.

/** Nothing helps but money or another account: OpenAI, Anthropic, xAI, DeepSeek, Kimi, DashScope, MiniMax, Z.ai. */
export const QUOTA_SPENT =
  /insufficient_quota|insufficient.{0,12}(?:balance|credit|fund|quota)|exceeded.?(?:your.?)?current.?quota|credit balance|billing_(?:hard_limit|not_active|error)|billing (?:hard )?limit|payment required|(?:used all|out of|have any|more|purchase|buy) (?:available |more )?credits|spend(?:ing)?[ _](?:limit|cap)|budget(?: has been |_)exceeded|credits are depleted|free tier .{0,40}exhausted|extra usage is required|key limit exceeded|arrear|good standing|account.{0,80} is (?:suspended|not active|overdue)|specified API usage limits|plan has expired|余额不足|欠费/i;

/** Limits over time. They pass by themselves. */
export const RATE_LIMITED =
  /rate.?limit(?:ed|_error|_exceeded| exceeded| reached)?\b|too.?many.?requests|resource.?exhausted|throttl|(?:queue|request_quota|token_quota)_exceeded|(?:tokens|requests) per (?:minute|min|hour|day)|\b[TR]P[MD]\b|capacity exceeded|engine_overloaded/i;

/** Limits of a plan that end at a certain time, days away. */
export const PLAN_LIMIT_REACHED =
  /plan_limit_reached|weekly\/monthly limit|(?:hourly|daily|weekly|monthly|session) (?:usage|call|token) limit/i;

/** Nothing helps but a change of the account: it may not use the model, or anything at all. */
export const NOT_ALLOWED =
  /account_not_allowed|permission to access|plan does not (?:yet )?include|organization (?:has been|must be) (?:disabled|restricted|verified to use)|(?:project|key).{0,60} (?:does not have access to|not allowed to access) model|requires terms acceptance|account .{0,40}(?:locked|inactive)|fair usage policy/i;

export const FILTERED =
  /content.?filter|content.?polic|moderation|content management policy|responsible ?ai|safety (?:system|check)|SAFETY_CHECK|data_inspection|(?:sensitive|unsafe|inappropriate) content|usage (?:polic|guideline)|was flagged|content exists risk|prohibited_content|safety_check_failed|provider terms of service|new_sensitive/i;

/** The model wrote a call or a JSON answer that its vendor could not read. A retry may work. */
export const MODEL_SLIP =
  /tool_use_failed|malformed.?function|tool call validation failed|json_validate_failed|output_parse_failed|error parsing tool call/i;

export const BAD_KEY =
  /invalid.{0,8}(?:x-)?api.?key|authenticat|unauthori[sz]ed|incorrect api key|api key (?:not valid|expired|is invalid|was reported|not found)|api_key_invalid|no auth|no cookie auth|user not found|unregistered callers|security token .{0,40}invalid|bearer token has expired|api key is (?:disabled|blocked)/i;

export const OTHER_REGION =
  /unsupported_country|unsupported countr|(?:country|region|territory|location).{0,20} (?:is )?not supported|not available in your (?:country|region)|unavailable for legal reasons/i;

/** The vendor does not offer the model, or no longer. Some vendors do not name it. */
export const UNKNOWN_MODEL =
  /model.?not.?(?:exist|found|available)|models?\b.{0,120} (?:does not|doesn't|do not) exist|not a valid model|invalid.?model|unknown model|no such model|not found the model|model .{0,120}(?:(?:been|is|was) (?:decommissioned|deprecated|retired)|not found|no longer (?:available|supported))|deploymentnotfound|no endpoints found for|model_not_supported|supported API model names|model identifier is invalid|model version has reached|has been taken offline|no models loaded|模型不存在/i;

/** Too many bytes, whatever they say. */
export const TOO_MANY_BYTES =
  /request_too_large|payload.?(?:size|too.?large)|entity too large|total text bytes|(?:body|content|request) size .{0,30}(?:exceed|limit)/i;

/** OpenRouter: the model exists, but not with what the request or the account wants. */
export const NO_ENDPOINT =
  /no endpoints (?:found|available) (?:that|matching)|no allowed providers|all providers have been ignored/i;

/** A local server lacks the memory for the model. */
export const NO_MEMORY =
  /requires more (?:system )?memory|out of memory|insufficient (?:memory|system resources)|due to resource limitations/i;

/** Numbers that vendors use as error codes, in words: Z.ai's, Mistral's, SiliconFlow's and MiniMax's. */
export const CODE_WORDS: Readonly<Record<string, string>> = {
  1000: "unauthorized",
  1001: "unauthorized",
  1002: "unauthorized",
  1003: "unauthorized",
  1004: "unauthorized",
  1008: "insufficient_quota",
  1026: "content_filter",
  1027: "content_filter",
  1110: "account_not_allowed",
  1112: "account_not_allowed",
  1113: "insufficient_quota",
  1211: "model_not_found",
  1220: "account_not_allowed",
  1221: "model_not_found",
  1222: "model_not_found",
  1261: "context_length_exceeded",
  1301: "content_filter",
  1302: "rate_limit_exceeded",
  1303: "rate_limit_exceeded",
  1304: "plan_limit_reached",
  1305: "rate_limit_exceeded",
  1308: "plan_limit_reached",
  1309: "insufficient_quota",
  1310: "plan_limit_reached",
  1311: "account_not_allowed",
  1312: "rate_limit_exceeded",
  1313: "account_not_allowed",
  1500: "model_not_found",
  20012: "model_not_found",
};

const OVERLOADED =
  /overload|unavailable|internal|server_error|server error|api_error|bad gateway|timed? ?out|timeout|engine|capacity|try again/i;

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

/** Returns the HTTP status that an error without one stands for. */
export function impliedStatus(kind: string, said: string): number {
  if (RATE_LIMITED.test(said)) return 429;
  const found = STATUS_OF_KIND.find(([pattern]) => pattern.test(kind));
  if (found) return found[1];
  if (BAD_KEY.test(said)) return 401;
  // LM Studio, if the address lacks `/v1`.
  if (/unexpected endpoint/i.test(said)) return 404;
  if (FILTERED.test(said)) return 400;
  return OVERLOADED.test(said) ? 503 : 502;
}
