import type { FailureCode } from "./failure.ts";
import type { ToolResultPart } from "./messages.ts";

const ERROR_TYPES: Partial<Record<FailureCode, string>> = {
  TOOL_UNKNOWN: "NotFound",
  NOT_FOUND: "NotFound",
  TOOL_INVALID_ARGUMENTS: "InvalidArguments",
  INVALID_INPUT: "InvalidArguments",
  TOOL_DENIED: "PermissionDenied",
  FORBIDDEN: "PermissionDenied",
  INJECTION_BLOCKED: "PermissionDenied",
  TOOL_TIMEOUT: "Timeout",
  UPSTREAM_TIMEOUT: "Timeout",
  RATE_LIMITED: "RateLimited",
  API_THROTTLED: "RateLimited",
  BREAKER_OPEN: "Unavailable",
  INTERRUPTED: "Unavailable",
  RESOURCE_EXHAUSTED: "LimitReached",
  CANCELLED: "Cancelled",
  TOOL_OUTCOME_UNKNOWN: "OutcomeUnknown",
};

/** Formats a result as the text of a tool message for the model. */
export function formatToolResult(part: ToolResultPart): string {
  if (part.fromClient) return part.output;
  const result = part.error
    ? JSON.stringify({ error: true, type: errorType(part.error.code), message: part.error.message })
    : part.output;
  return [
    "<tool_result>",
    `  <tool_call_id>${withoutTags(part.toolCallId)}</tool_call_id>`,
    `  <name>${withoutTags(part.toolName)}</name>`,
    `  <status>${part.success ? "success" : "error"}</status>`,
    `  <trust>${part.trust}</trust>`,
    `  <result>${neutralizeTags(result)}</result>`,
    "</tool_result>",
  ].join("\n");
}

function errorType(code: FailureCode): string {
  return ERROR_TYPES[code] ?? "ExecutionFailed";
}

function withoutTags(name: string): string {
  return name.replace(/[<>\s]/g, "_");
}

/** Characters that a reader skips inside a tag. */
const HIDDEN = "\\p{Default_Ignorable_Code_Point}";
/** Every spelling that a model may read as one of these tags: other case, wide letters, blanks, hidden characters. */
const TAG = new RegExp(
  `[<\\ufe64\\uff1c][\\s${HIDDEN}\\\\/\\uff0f]*(?:${["tool_result", "result", "trust"].map(spellings).join("|")})` +
    `(?![\\w-])(?:[\\s${HIDDEN}]*[>\\ufe65\\uff1e])?`,
  "giu",
);

function spellings(name: string): string {
  const letters = [...name].map((letter) => {
    const wide = String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0);
    return `[${letter}${wide}]`;
  });
  return letters.join(`[${HIDDEN}]*`);
}

/**
 * Puts a backslash into every tag that could close or forge the envelope: `</result>` becomes `<\/result>`. Everything else
 * stays as it is. A tag that already has a backslash gets another one, so that `restoreTags` is exact.
 */
function neutralizeTags(text: string): string {
  return text.replace(TAG, (tag) => (isHarmless(tag) ? tag : `${tag[0]}\\${tag.slice(1)}`));
}

/** A `<result>` that opens is only nested, and `a < trust` without a closing bracket compares two values. */
function isHarmless(tag: string): boolean {
  if (/[/\uff0f]/.test(tag)) return false;
  return /^<[\s\\]*result/i.test(tag) || /\s[^>\ufe65\uff1e]*$/.test(tag);
}

/**
 * Undoes `neutralizeTags` in text that quotes a result, for instance the text to replace in a file. `wasRead` tells whether
 * the model has read the original. A backslash that the model wrote itself is kept.
 */
export function restoreTags(text: string, wasRead: (original: string) => boolean): string {
  return text.replace(TAG, (tag) => {
    const original = `${tag[0]}${tag.slice(2)}`;
    return neutralizeTags(original) === tag && wasRead(original) ? original : tag;
  });
}
