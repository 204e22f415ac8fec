import { Failure } from "../protocol/failure.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import { isVersionOne, meantPath } from "./address.ts";
import { alternativeTo } from "./missing-routes.ts";

/** The failure for a path that has no route. */
export function nothingAt(method: string, path: string): Failure {
  if (/^\/api\/(?:pull|push|create|copy|delete|blobs)(?:\/|$)/.test(path))
    return new Failure(
      "NOT_FOUND",
      "The operator of this server sets up its models. They cannot be pulled, created or deleted here.",
    );
  const instead = alternativeTo(path);
  const meant = meantPath(path);
  const hint = instead ?? (meant && `Did you mean ${meant}? Check the base URL that is set in your client.`);
  const advice = hint ? ` ${hint}` : "";
  if (!isVersionOne(path)) return new Failure("NOT_FOUND", `There is nothing at this address.${advice}`);
  const sentence = `Unknown request URL: ${method} ${path.slice(0, 200)}. This server does not have this route.${advice}`;
  return new Failure("NOT_FOUND", sentence, { details: { openAiCode: "unknown_url" } });
}

/** The body of an error response. The facts of a rate limit are at the top level. */
export function errorBody(failure: Failure, requestId: string): object {
  const { limit, remaining, resetAt, reset_at: alreadyNamed, ...details } = failure.details ?? {};
  const reset = isoTime(resetAt ?? alreadyNamed);
  return {
    error: failure.publicMessage,
    code: failure.code,
    requestId,
    retryable: failure.retryable,
    limit: typeof limit === "number" ? limit : undefined,
    remaining: typeof remaining === "number" ? remaining : undefined,
    reset_at: reset,
    details: Object.keys(details).length > 0 ? details : undefined,
  };
}

/** The failure of a caller who has reached the chat limit. */
export function rateLimited(verdict: LimitVerdict): Failure {
  return new Failure(
    "RATE_LIMITED",
    `You have used all ${verdict.limit} chat requests that are allowed for now. Try again in ${durationText(verdict.retryAfter)}.`,
    {
      retryAfter: Math.max(1, Math.ceil(verdict.retryAfter)),
      details: { limit: verdict.limit, remaining: verdict.remaining, resetAt: verdict.resetAt },
    },
  );
}

/** The headers of every response that a limit applies to. */
export function limitHeaders(
  verdict: Pick<LimitVerdict, "limit" | "remaining" | "resetAt">,
): Record<string, string> {
  return {
    "x-ratelimit-limit": String(verdict.limit),
    "x-ratelimit-remaining": String(Math.max(0, verdict.remaining)),
    "x-ratelimit-reset": String(Math.ceil(verdict.resetAt / 1000)),
  };
}

/** The same for a response that the limit refused. */
export function refusalHeaders({ code, details }: Failure): Record<string, string> {
  const { limit, remaining, resetAt, reset_at: alreadyNamed } = details ?? {};
  const reset = isoTime(resetAt ?? alreadyNamed);
  if (code !== "RATE_LIMITED" || typeof limit !== "number" || reset === undefined) return {};
  const left = typeof remaining === "number" ? remaining : 0;
  return limitHeaders({ limit, remaining: left, resetAt: Date.parse(reset) });
}

function durationText(seconds: number): string {
  if (seconds <= 90) return `${Math.max(1, Math.ceil(seconds))} seconds`;
  if (seconds <= 5_400) return `${Math.ceil(seconds / 60)} minutes`;
  return `${Math.ceil(seconds / 3_600)} hours`;
}

function isoTime(value: unknown): string | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const MOST_CAUSES = 5;

/** Names what was behind an error, for the log: kinds and codes alone, because messages may repeat what somebody wrote. */
export function causesOf(thrown: Error): string[] {
  const causes: string[] = [];
  for (let { cause } = thrown; cause instanceof Error && causes.length < MOST_CAUSES; cause = cause.cause) {
    const code = "code" in cause && typeof cause.code === "string" ? ` ${cause.code}` : "";
    causes.push(`${cause.constructor.name}${code}`);
  }
  return causes;
}
