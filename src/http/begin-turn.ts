import { Failure } from "../protocol/failure.ts";
import type { Client } from "../protocol/limits.ts";
import type { Principal } from "../protocol/principal.ts";
import type { LimitVerdict } from "../protocol/store.ts";
import { addressOf } from "./address.ts";
import { acceptCaller, identify } from "./caller.ts";
import type { HttpContext, ServerState } from "./context.ts";
import { limitHeaders, rateLimited } from "./errors.ts";
import { checkCapacity } from "./follow.ts";
import type { Identified } from "./identity.ts";

const MAX_KEY_CHARACTERS = 200;

/**
 * The checks between a valid request and its run, in the order that the contract names, whatever protocol it came in:
 * throttle, limit, credentials. What was counted is given back where no run came of it.
 */
export async function beginTurn<Started extends { joined?: boolean }>(
  c: HttpContext,
  server: ServerState,
  start: (principal: Principal) => Promise<Started>,
): Promise<Started> {
  checkThrottle(server);
  checkCapacity(server);
  const address = addressOf(c, server);
  const caller: Caller = await identify(c, server).catch((thrown: unknown) => refusedCaller(thrown, address));
  const client: Client = { address, newGuest: caller.guestToken !== undefined };
  const counted = await takeLimit(c, server, caller.principal, client);
  try {
    if (caller.refusal !== undefined) throw caller.refusal;
    const started = await start(acceptCaller(c, server, caller));
    // Asking again for what was already asked is not another request.
    if (counted && started.joined) await refund(server, caller.principal, client);
    return started;
  } catch (thrown) {
    if (counted) await refund(server, caller.principal, client);
    throw thrown;
  }
}

/** The key under which the same request joins the same run. */
export function readIdempotencyKey(c: HttpContext): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (key.length > 0 && key.length <= MAX_KEY_CHARACTERS) return key;
  throw new Failure("INVALID_INPUT", `Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
}

type Caller = Identified & { refusal?: unknown };

/** Somebody whose credentials do not hold still has a limit, which comes first: it is counted by address. */
function refusedCaller(refusal: unknown, address: string): Caller {
  // Where it cannot be found out who asks, their limit cannot be either, and both would be waited for.
  if (refusal instanceof Failure && refusal.code === "RESOURCE_EXHAUSTED") throw refusal;
  return { principal: { id: `refused ${address}`, kind: "guest" }, refusal };
}

function checkThrottle(server: ServerState): void {
  const { allowed, retryAfter } = server.throttle.take();
  if (allowed) return;
  throw new Failure(
    "API_THROTTLED",
    "The server has more requests than it takes in a minute. Try again shortly.",
    {
      retryAfter,
    },
  );
}

async function takeLimit(
  c: HttpContext,
  server: ServerState,
  principal: Principal,
  client: Client,
): Promise<LimitVerdict | undefined> {
  const verdict = await server.deps.limits.takeChat(principal, client).catch((cause: unknown) => {
    if (cause instanceof Failure) throw cause;
    const message = "Your limit could not be checked just now. Try again in a few seconds.";
    throw new Failure("RESOURCE_EXHAUSTED", message, { cause, retryable: true, retryAfter: 5 });
  });
  if (!verdict) return undefined;
  Object.assign(c.var.headers, limitHeaders(verdict));
  if (!verdict.allowed) throw rateLimited(verdict);
  return verdict;
}

/** A use that cannot be given back is lost to the caller, but must not hide why there was no run. */
async function refund(server: ServerState, principal: Principal, client: Client): Promise<void> {
  try {
    await server.deps.limits.refundChat(principal, client);
  } catch (thrown) {
    server.deps.log.warn(
      { code: server.deps.cleanError(thrown).code },
      "a chat request could not be given back",
    );
  }
}
