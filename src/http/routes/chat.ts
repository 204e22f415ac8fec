import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import { type ChatRequest, chatRequest, parseRequest } from "../../protocol/requests.ts";
import type { LimitVerdict } from "../../protocol/store.ts";
import { clientAddress } from "../address.ts";
import { readJson } from "../body.ts";
import { acceptCaller, identify } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import type { Client } from "../dependencies.ts";
import { limitHeaders, rateLimited } from "../errors.ts";
import { answerWithJson, answerWithStream, checkCapacity, type Following } from "../follow.ts";
import type { Identified } from "../identity.ts";

const MAX_KEY_CHARACTERS = 200;

/** One turn of a conversation. */
export function chatRoutes(door: Door): Route[] {
  return [{ method: "POST", path: "/chat", handle: (c) => postChat(c, door) }];
}

/** The checks stand in the order that the contract names; each has its own answer. */
async function postChat(c: HttpContext, door: Door): Promise<Response> {
  const request = parseRequest(chatRequest, await readJson(c.req.raw, c.env?.incoming));
  const idempotencyKey = readIdempotencyKey(c);
  checkThrottle(door);
  checkCapacity(door);
  const address = clientAddress(c.env?.incoming, door.deps.config.trustProxy === true);
  const caller = await identify(c, door).catch((thrown: unknown) => refusedCaller(thrown, address));
  const client: Client = { address, newGuest: caller.guestToken !== undefined };
  const counted = await takeLimit(c, door, caller.principal, client);
  const { chat, run } = await start(c, door, caller, { request, idempotencyKey }).catch(
    async (thrown: unknown) => {
      if (counted) await refund(door, caller.principal, client);
      throw thrown;
    },
  );
  // Asking again for what was already asked is not another request.
  if (counted && run.joined) await refund(door, caller.principal, client);
  const following: Following = {
    runId: run.runId,
    after: 0,
    kind: "new",
    onGone: request.onDisconnect === "cancel" ? () => chat.cancel(run.runId) : undefined,
  };
  return wantsJson(c, request) ? answerWithJson(c, door, following) : answerWithStream(c, door, following);
}

type Caller = Identified & { refusal?: unknown };

/** Somebody whose credentials do not hold still has a limit, which comes first: it is counted by address. */
function refusedCaller(refusal: unknown, address: string): Caller {
  return { principal: { id: `refused ${address}`, kind: "guest" }, refusal };
}

interface Turn {
  request: ChatRequest;
  idempotencyKey: string | undefined;
}

async function start(c: HttpContext, door: Door, caller: Caller, { request, idempotencyKey }: Turn) {
  if (caller.refusal !== undefined) throw caller.refusal;
  const chat = door.deps.chatFor(acceptCaller(c, door, caller));
  return { chat, run: await chat.send(request, { idempotencyKey, requestId: c.var.requestId }) };
}

function readIdempotencyKey(c: HttpContext): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return undefined;
  if (key.length > 0 && key.length <= MAX_KEY_CHARACTERS) return key;
  throw new Failure("INVALID_INPUT", `Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} characters.`);
}

function checkThrottle(door: Door): void {
  const { allowed, retryAfter } = door.throttle.take();
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
  door: Door,
  principal: Principal,
  client: Client,
): Promise<LimitVerdict | undefined> {
  const verdict = await door.deps.limits.takeChat(principal, client).catch((cause: unknown) => {
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
async function refund(door: Door, principal: Principal, client: Client): Promise<void> {
  try {
    await door.deps.limits.refundChat(principal, client);
  } catch (thrown) {
    door.deps.log.warn({ code: door.deps.cleanError(thrown).code }, "a chat request could not be given back");
  }
}

function wantsJson(c: HttpContext, request: ChatRequest): boolean {
  if (request.stream !== undefined) return !request.stream;
  const accept = c.req.header("accept")?.toLowerCase() ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}
