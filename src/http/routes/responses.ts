import type { ChatEvent } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { RecalledTurn, Turns } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { MAX_BYTES_WITH_IMAGES, readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import type { Door, HttpContext, Route } from "../context.ts";
import { untilBegun } from "../dialects/openai/beginning.ts";
import { refused, runFailure } from "../dialects/openai/errors.ts";
import { ResponseEvents } from "../dialects/openai/response-events.ts";
import { readResponseRequest } from "../dialects/openai/response-request.ts";
import { findResponse, startResponse } from "../dialects/openai/response-turn.ts";
import { turnsOf } from "../dialects/openai/turns.ts";
import { answerWithStream, checkCapacity, type Following, failureOf, followToEnd } from "../follow.ts";
import type { StreamEncoder } from "../sse.ts";

/** How long a cancelled response may take to come to its end before we answer. */
const CANCEL_MS = 5_000;

/** OpenAI's Responses on our own loop. */
export function responseRoutes(door: Door): Route[] {
  return [
    { method: "POST", path: "/v1/responses", handle: (c) => postResponse(c, door) },
    { method: "GET", path: "/v1/responses/:id", handle: (c) => getResponse(c, door) },
    { method: "DELETE", path: "/v1/responses/:id", handle: (c) => deleteResponse(c, door) },
    { method: "POST", path: "/v1/responses/:id/cancel", handle: (c) => cancelResponse(c, door) },
  ];
}

async function postResponse(c: HttpContext, door: Door): Promise<Response> {
  const body = await readJson(c.req.raw, c.env?.incoming, MAX_BYTES_WITH_IMAGES);
  const request = readResponseRequest(body);
  const { background, echo } = request;
  const idempotencyKey = readIdempotencyKey(c);
  const { turns, principal, runId, clientTools } = await beginTurn(c, door, async (principal) => {
    const turns = turnsOf(door, principal);
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { turns, principal, ...(await startResponse(turns, request, options)) };
  });
  const events = new ResponseEvents({ createdAt: Math.floor(Date.now() / 1000), echo, clientTools });
  const following: Following = { runId, after: 0, kind: "new" };
  if (!background) following.onGone = () => door.deps.chatFor(principal).cancel(runId);
  if (request.stream) {
    if (!background) await untilBegun(c, door, runId);
    return answerWithStream(c, door, { ...following, encoder: namedFrames(events, -1) });
  }
  if (background) return c.json(await responseSoFar(turns, runId, events));
  return answerWhole(c, door, following, events);
}

async function answerWhole(
  c: HttpContext,
  door: Door,
  following: Following,
  events: ResponseEvents,
): Promise<Response> {
  const onEvent = (event: ChatEvent) => void events.take(event);
  const state = await followToEnd(c, door, { ...following, onEvent });
  if (!state) return new Response(null, { status: 499 });
  const nothingCame = state.blocks.length === 0 && state.error ? runFailure(state.error) : undefined;
  const failure = nothingCame ?? (state.finishReason ? undefined : failureOf(state, following.runId));
  if (failure) throw failure;
  return c.json(events.response());
}

async function getResponse(c: HttpContext, door: Door): Promise<Response> {
  const after = readStartingAfter(c);
  const { turns, turn } = await ownResponse(c, door);
  const events = eventsFor(turn);
  if (c.req.query("stream") !== "true") return c.json(await responseSoFar(turns, turn.runId, events));
  checkCapacity(door);
  const encoder = namedFrames(events, after);
  return answerWithStream(c, door, { runId: turn.runId, after: 0, kind: "resumed", encoder });
}

async function cancelResponse(c: HttpContext, door: Door): Promise<Response> {
  const { principal, turns, turn } = await ownResponse(c, door);
  await door.deps.chatFor(principal).cancel(turn.runId);
  const enough = AbortSignal.any([door.closing, AbortSignal.timeout(CANCEL_MS)]);
  await door.deps.feed.follow(turn.runId, 0, () => undefined, enough);
  return c.json(await responseSoFar(turns, turn.runId, eventsFor(turn)));
}

async function deleteResponse(c: HttpContext, door: Door): Promise<Response> {
  const { turns, turn } = await ownResponse(c, door);
  await turns.forget(turn);
  return c.json({ id: idIn(c), object: "response", deleted: true });
}

async function ownResponse(
  c: HttpContext,
  door: Door,
): Promise<{ principal: Principal; turns: Turns; turn: RecalledTurn }> {
  const principal = await authenticate(c, door);
  const turns = turnsOf(door, principal);
  const turn = await findResponse(turns, idIn(c));
  if (turn) return { principal, turns, turn };
  throw new Failure("NOT_FOUND", `Response with id '${idIn(c).slice(0, 100)}' not found.`, {
    details: { param: "response_id", openAiCode: "not_found" },
  });
}

function eventsFor({ createdAt, request }: RecalledTurn): ResponseEvents {
  return new ResponseEvents({
    createdAt: Math.floor(Date.parse(createdAt) / 1000),
    echo: request.echo ?? {},
    clientTools: (request.clientTools ?? []).map(({ name }) => name),
  });
}

async function responseSoFar(turns: Turns, runId: string, events: ResponseEvents): Promise<object> {
  for (const { event } of await turns.eventsOf(runId)) events.take(event);
  return events.response();
}

/** Frames with the event's name, as OpenAI sends them: only those behind `after`, though all are counted. */
function namedFrames(events: ResponseEvents, after: number): StreamEncoder {
  return {
    encode(encoded) {
      let text = "";
      for (const { json } of encoded) {
        for (const event of events.take(JSON.parse(json) as ChatEvent)) {
          if (event.sequence_number > after)
            text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
        }
      }
      return text;
    },
    end: () => "",
  };
}

function readStartingAfter(c: HttpContext): number {
  const text = c.req.query("starting_after");
  if (text === undefined) return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused("Invalid 'starting_after': expected the sequence number of an event.", {
    param: "starting_after",
  });
}

function idIn(c: HttpContext): string {
  return c.req.param("id") ?? "";
}
