import { Failure } from "../protocol/failure.ts";
import type { Client } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import type { Identified } from "./caller.ts";
import { acceptCaller, addressOf, clientOf, identify } from "./caller.ts";
import type { HttpContext, ServerState } from "./context.ts";
import { limitHeaders, rateLimited } from "./errors.ts";
import { admitNewStream } from "./follow.ts";

const MAX_KEY_CHARACTERS = 200;

/**
 * Checks a valid request and starts its run. The order is the same for every protocol: throttle, limit, credentials. A use
 * of the limit is refunded if no run starts.
 */
export async function beginTurn<Started extends { joined?: boolean }>(
  c: HttpContext,
  start: (principal: Principal) => Promise<Started>,
): Promise<Started> {
  const server = c.get("server");
  checkThrottle(server);
  const started = await admitNewStream(server);
  try {
    return await startTurn(c, start);
  } finally {
    started();
  }
}

async function startTurn<Started extends { joined?: boolean }>(
  c: HttpContext,
  start: (principal: Principal) => Promise<Started>,
): Promise<Started> {
  const server = c.get("server");
  const caller: Caller = await identify(c).catch((thrown: unknown) => refusedCaller(thrown, addressOf(c)));
  const client: Client = caller.refusal === undefined ? clientOf(c, caller) : { address: addressOf(c) };
  const counted = await takeLimit(c, caller.principal, client);
  try {
    if (caller.refusal !== undefined) throw caller.refusal;
    const started = await start(acceptCaller(c, caller));
    // A repeated request does not count again.
    if (counted && started.joined) await refund(server, caller.principal, client);
    return started;
  } catch (thrown) {
    if (counted) await refund(server, caller.principal, client);
    throw thrown;
  }
}

/** Reads the key that makes a repeated request join the same run. */
export function readIdempotencyKey(c: HttpContext): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (key.length > 0 && key.length <= MAX_KEY_CHARACTERS) return key;
  throw new Failure("INVALID_INPUT", `Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
}

type Caller = Identified & { refusal?: unknown };

/** A caller with invalid credentials. The limit comes first, so it is counted by address. */
function refusedCaller(refusal: unknown, address: string): Caller {
  // If the caller cannot be identified now, the limit cannot be checked either.
  if (refusal instanceof Failure && refusal.code === "RESOURCE_EXHAUSTED") throw refusal;
  return { principal: { id: `refused ${address}`, kind: "guest" }, refusal };
}

function checkThrottle(server: ServerState): void {
  const { allowed, retryAfter } = server.throttle.take();
  if (allowed) return;
  const sentence = "The server has reached its limit of requests per minute. Try again shortly.";
  throw new Failure("API_THROTTLED", sentence, { retryAfter });
}

async function takeLimit(
  c: HttpContext,
  principal: Principal,
  client: Client,
): Promise<LimitVerdict | undefined> {
  const server = c.get("server");
  const verdict = await server.deps.limits.takeChat(principal, client).catch((cause: unknown) => {
    if (cause instanceof Failure) throw cause;
    const message = "Your limit could not be checked. Try again in a few seconds.";
    throw new Failure("RESOURCE_EXHAUSTED", message, { cause, retryable: true, retryAfter: 5 });
  });
  if (!verdict) return undefined;
  Object.assign(c.get("headers"), limitHeaders(verdict));
  if (verdict.allowed) return verdict;
  warnAboutProxy(c, client);
  throw rateLimited(verdict);
}

/** Behind a proxy that the server does not know of, all guests have one address, and share its limit. */
function warnAboutProxy(c: HttpContext, { guest }: Client): void {
  const server = c.get("server");
  const isForwarded = c.req.header("x-forwarded-for") !== undefined && !server.deps.config.trustProxy;
  if (guest && isForwarded && server.refusals.take("proxy") !== undefined)
    server.deps.log.warn({}, "a guest was refused behind a proxy: set TACKLE_TRUST_PROXY=1 if it is yours");
}

/** Refunds a use of the limit. If that fails, the original error must still be reported. */
async function refund(server: ServerState, principal: Principal, client: Client): Promise<void> {
  try {
    await server.deps.limits.refundChat(principal, client);
  } catch (thrown) {
    server.deps.log.warn(
      { code: server.deps.cleanError(thrown).code },
      "a chat request could not be refunded",
    );
  }
}
