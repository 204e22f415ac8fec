/** Every public error code, with its HTTP status on a direct call. */
export const FAILURE_STATUS = {
  INVALID_INPUT: 400,
  CONTEXT_TOO_LARGE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INJECTION_BLOCKED: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_LARGE: 413,
  RATE_LIMITED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UPSTREAM_ERROR: 502,
  API_THROTTLED: 503,
  BREAKER_OPEN: 503,
  INTERRUPTED: 503,
  RESOURCE_EXHAUSTED: 503,
  UPSTREAM_TIMEOUT: 504,
  STORAGE_FULL: 507,
  TOOL_UNKNOWN: 404,
  TOOL_INVALID_ARGUMENTS: 400,
  TOOL_DENIED: 403,
  TOOL_TIMEOUT: 504,
  TOOL_FAILED: 500,
  TOOL_OUTCOME_UNKNOWN: 409,
} as const;

export type FailureCode = keyof typeof FAILURE_STATUS;

const RETRYABLE: ReadonlySet<FailureCode> = new Set([
  "RATE_LIMITED",
  "API_THROTTLED",
  "BREAKER_OPEN",
  "INTERRUPTED",
  "UPSTREAM_ERROR",
  "UPSTREAM_TIMEOUT",
  "TOOL_TIMEOUT",
]);

export interface FailureOptions {
  cause?: unknown;
  retryable?: boolean;
  /** Seconds to wait before trying again. */
  retryAfter?: number;
  details?: Record<string, unknown>;
  /** True if the sentence contains text from outside, such as an MCP server's error. */
  untrusted?: boolean;
  /** Set if that text comes from the person's own folders. */
  origin?: "workspace" | undefined;
}

/** What went wrong, in a sentence that a person can act on. The cause is kept apart and never leaves the process. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly publicMessage: string;
  readonly retryAfter: number | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly untrusted: boolean;
  readonly origin: "workspace" | undefined;

  constructor(code: FailureCode, publicMessage: string, options: FailureOptions = {}) {
    super(publicMessage, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.status = FAILURE_STATUS[code];
    this.publicMessage = publicMessage;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.retryAfter = options.retryAfter;
    this.details = options.details;
    this.untrusted = options.untrusted ?? false;
    this.origin = options.origin;
  }

  /** Returns a copy with more details, such as the upstream whose own breaker has counted it. */
  withDetails(more: Record<string, unknown>, retryAfter = this.retryAfter): Failure {
    const { code, publicMessage, retryable, untrusted, origin, cause } = this;
    const details = { ...this.details, ...more };
    return new Failure(code, publicMessage, { retryable, untrusted, origin, cause, details, retryAfter });
  }
}

/** Turns anything that was thrown into a Failure. An unknown error becomes INTERNAL, and its text is not shown. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof Error && thrown.name === "AbortError") {
    return new Failure("CANCELLED", "It was stopped before it finished.", { cause: thrown });
  }
  return new Failure("INTERNAL", "Something went wrong on the server. Trying again may help.", {
    cause: thrown,
  });
}

/** A failure inside a `tool_result` event. */
export interface ToolError {
  code: FailureCode;
  status: number;
  message: string;
  retryAfter?: number;
}

/** The part of a failure that a tool result shows. */
export function toToolError(failure: Failure): ToolError {
  return {
    code: failure.code,
    status: failure.status,
    message: failure.publicMessage,
    retryAfter: failure.retryAfter,
  };
}
