import type { DirectAnswer } from "../protocol/chat.ts";
import { Failure, type FailureCode } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import { checkFieldNames } from "../protocol/requests.ts";
import { readOptionalJson } from "./body.ts";
import { acceptCaller, clientOf, identify } from "./caller.ts";
import type { HttpContext } from "./context.ts";
import { limitHeaders } from "./errors.ts";
import { whenCallerGone } from "./sse.ts";

/** Codes of calls that never started. They do not count against the address. */
const REFUSED: ReadonlySet<FailureCode> = new Set([
  "TOOL_UNKNOWN",
  "TOOL_INVALID_ARGUMENTS",
  "INJECTION_BLOCKED",
  "RATE_LIMITED",
  "API_THROTTLED",
  "BREAKER_OPEN",
]);

/** Runs a tool with the request's body as its parameters. All layers and limits apply. */
export async function callToolFor(
  c: HttpContext,
  name: string,
  /** Converts a body that names the parameters differently. */
  adapt = (body: Record<string, unknown>) => body,
): Promise<DirectAnswer> {
  const body = await readOptionalJson(c);
  if (!isObject(body))
    throw new Failure("INVALID_INPUT", "The body must be a JSON object: the tool's parameters.");
  checkFieldNames(body);
  return callToolWith(c, name, adapt(body));
}

/** Runs a tool for the caller. All layers and limits apply. */
export async function callToolWith(
  c: HttpContext,
  name: string,
  args: Record<string, unknown>,
): Promise<DirectAnswer> {
  const server = c.get("server");
  const caller = await identify(c);
  const giveBack = await server.deps.takeByAddress?.(name, clientOf(c, caller));
  const principal = acceptCaller(c, caller);
  const signal = AbortSignal.any([whenCallerGone(c), server.closing]);
  const { requestId, traceparent } = c.var;
  const called = server.deps.callTool(principal, name, args, signal, { requestId, traceparent });
  const { limit, ...answer } = await called.catch(async (thrown: unknown) => {
    if (thrown instanceof Failure && REFUSED.has(thrown.code)) await giveBack?.();
    throw thrown;
  });
  if (limit) Object.assign(c.var.headers, limitHeaders(limit));
  return answer;
}

/** The headers of a deprecated route. */
export function deprecated(successor: string): Record<string, string> {
  // Since the first of January 2026, in the form of RFC 9745.
  return { deprecation: "@1767225600", link: `<${successor}>; rel="successor-version"` };
}
