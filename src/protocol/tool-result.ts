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
  RESOURCE_EXHAUSTED: "LimitReached",
  CANCELLED: "Cancelled",
  TOOL_OUTCOME_UNKNOWN: "OutcomeUnknown",
};

/** Formats a result as the text of a tool message for the model. */
export function formatToolResult(part: ToolResultPart): string {
  const result = part.error
    ? JSON.stringify({ error: true, type: errorType(part.error.code), message: part.error.message })
    : part.output;
  return [
    "<tool_result>",
    `  <tool_call_id>${escapeXml(part.toolCallId)}</tool_call_id>`,
    `  <name>${escapeXml(part.toolName)}</name>`,
    `  <status>${part.success ? "success" : "error"}</status>`,
    `  <trust>${part.trust}</trust>`,
    `  <result>${escapeXml(result)}</result>`,
    "</tool_result>",
  ].join("\n");
}

function errorType(code: FailureCode): string {
  return ERROR_TYPES[code] ?? "ExecutionFailed";
}

/** Prevents text from outside from closing our elements. */
function escapeXml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
