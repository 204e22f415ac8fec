import type { ChatEvent } from "../../protocol/events.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Feed } from "../../protocol/journal.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { RecalledTurn, Turns } from "../../protocol/turns.ts";
import { beginTurn, readIdempotencyKey } from "../begin-turn.ts";
import { readJson, readModelJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { compacted, toCompaction } from "../dialects/openai/compaction.ts";
import { refused, runFailure } from "../dialects/openai/errors.ts";
import { waitForFirstOutput } from "../dialects/openai/first-output.ts";
import { includedIn } from "../dialects/openai/item-list.ts";
import { ResponseEvents } from "../dialects/openai/response-events.ts";
import { readResponseRequest } from "../dialects/openai/response-request.ts";
import { findResponse, startResponse } from "../dialects/openai/response-turn.ts";
import { eventsWithImages, feedWithImages } from "../dialects/openai/shown-images.ts";
import { TOOLS_HEADER } from "../dialects/openai/tools.ts";
import { eventsFor } from "../dialects/openai/turn-items.ts";
import { noteWarnings } from "../dialects/openai/warnings.ts";
import { turnsFor } from "../dialects/turns.ts";
import { answerWithStream, checkFollower, type Following, failureOf, followToEnd } from "../follow.ts";
import type { StreamEncoder } from "../sse.ts";

/** How long to wait for the end of a cancelled response. */
const CANCEL_MS = 5_000;

/** OpenAI's Responses. */
export function responseRoutes(): Route[] {
  return [
    route("POST /v1/responses", postResponse),
    route("POST /v1/responses/compact", postCompact),
    route("GET /v1/responses/:id", getResponse),
    route("DELETE /v1/responses/:id", deleteResponse),
    route("POST /v1/responses/:id/cancel", cancelResponse),
  ];
}

async function postResponse(c: HttpContext): Promise<Response> {
  const { request, turns, runId, events, following } = await begin(c, await readModelJson(c));
  if (request.stream) {
    if (!request.background) await waitForFirstOutput(c, runId);
    return answerWithStream(c, { ...following, encoder: namedFrames(events, -1) });
  }
  if (request.background) return c.json(await responseSoFar(turns, runId, events));
  return answerWhole(c, following, events);
}

/** Returns what a client can send in place of a conversation. */
async function postCompact(c: HttpContext): Promise<Response> {
  const asked = toCompaction(await readJson(c, "conversation"));
  const { request, events, following } = await begin(c, asked);
  return answerWhole(c, following, events, (response) => compacted(response, request.input));
}

async function begin(c: HttpContext, body: unknown) {
  const server = c.get("server");
  const request = readResponseRequest(body, c.req.header(TOOLS_HEADER));
  const { background, echo, compacts, include } = request;
  const idempotencyKey = readIdempotencyKey(c);
  const {
    turns,
    principal,
    runId,
    specs: clientTools,
  } = await beginTurn(c, async (principal) => {
    const turns = turnsFor(server, principal);
    const { requestId, traceparent } = c.var;
    const options = { idempotencyKey, requestId, traceparent, body };
    return { turns, principal, ...(await startResponse(turns, request, options)) };
  });
  const createdAt = Math.floor(Date.now() / 1000);
  const { seal } = turns;
  const events = new ResponseEvents({ createdAt, echo, clientTools, compacts, seal, include });
  const through = (feed: Feed) => feedWithImages(feed, turns);
  const following: Following = { runId, after: 0, kind: "new", through };
  if (!background) following.onGone = () => server.deps.chatFor(principal).cancel(runId);
  return { request, turns, runId, events, following };
}

async function answerWhole(
  c: HttpContext,
  following: Following,
  events: ResponseEvents,
  shown = (response: Record<string, unknown>) => response,
): Promise<Response> {
  const onEvent = (event: ChatEvent) => void events.take(event);
  const state = await followToEnd(c, { ...following, onEvent });
  if (!state) return new Response(null, { status: 499 });
  noteWarnings(c, state.warnings);
  const nothingCame = state.blocks.length === 0 && state.error ? runFailure(state.error) : undefined;
  const failure = nothingCame ?? (state.finishReason ? undefined : failureOf(state, following.runId));
  if (failure) throw failure;
  return c.json(shown(events.response()));
}

async function getResponse(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const after = readStartingAfter(c);
  const { turns, turn } = await ownResponse(c);
  const events = eventsFor(turns, turn, includedIn(c));
  if (c.req.query("stream") !== "true") return c.json(await responseSoFar(turns, turn.runId, events));
  checkFollower(server);
  const encoder = namedFrames(events, after);
  const through = (feed: Feed) => feedWithImages(feed, turns);
  return answerWithStream(c, { runId: turn.runId, after: 0, kind: "resumed", encoder, through });
}

async function cancelResponse(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const { principal, turns, turn } = await ownResponse(c);
  await server.deps.chatFor(principal).cancel(turn.runId);
  const enough = AbortSignal.any([server.closing, AbortSignal.timeout(CANCEL_MS)]);
  await server.deps.feed.follow(turn.runId, 0, () => undefined, enough);
  return c.json(await responseSoFar(turns, turn.runId, eventsFor(turns, turn, includedIn(c))));
}

async function deleteResponse(c: HttpContext): Promise<Response> {
  const { turns, turn } = await ownResponse(c);
  await turns.forget(turn);
  return c.json({ id: pathParameter(c, "id"), object: "response", deleted: true });
}

/** Returns a response of the caller's. Throws NOT_FOUND. */
export async function ownResponse(
  c: HttpContext,
): Promise<{ principal: Principal; turns: Turns; turn: RecalledTurn }> {
  const server = c.get("server");
  const principal = await authenticate(c);
  const turns = turnsFor(server, principal);
  const turn = await findResponse(turns, pathParameter(c, "id"));
  if (turn) return { principal, turns, turn };
  throw new Failure("NOT_FOUND", `Response with id '${pathParameter(c, "id").slice(0, 100)}' not found.`, {
    details: { param: "response_id", openAiCode: "not_found" },
  });
}

async function responseSoFar(turns: Turns, runId: string, events: ResponseEvents): Promise<object> {
  for (const event of await eventsWithImages(turns, runId)) events.take(event);
  return events.response();
}

/** Writes frames with event names, as OpenAI does. All events are counted, but only those after `after` are sent. */
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
    end: () => "data: [DONE]\n\n",
  };
}

function readStartingAfter(c: HttpContext): number {
  const text = c.req.query("starting_after");
  if (text === undefined) return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused("Invalid 'starting_after': expected the sequence number of an event.", "starting_after");
}
