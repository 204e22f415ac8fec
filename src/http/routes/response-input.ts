import { readJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, type Route, route } from "../context.ts";
import { includedIn, listPage } from "../dialects/openai/item-list.ts";
import { readResponseRequest } from "../dialects/openai/response-request.ts";
import { measureResponse } from "../dialects/openai/response-turn.ts";
import { TOOLS_HEADER } from "../dialects/openai/tools.ts";
import { inputItems } from "../dialects/openai/turn-items.ts";
import { turnsFor } from "../dialects/turns.ts";
import { ownResponse } from "./responses.ts";

/** What goes into OpenAI's Responses. */
export function responseInputRoutes(): Route[] {
  return [
    route("GET /v1/responses/:id/input_items", getInputItems),
    route("POST /v1/responses/input_tokens", postInputTokens),
  ];
}

async function getInputItems(c: HttpContext): Promise<Response> {
  const { turns, turn } = await ownResponse(c);
  return c.json(listPage(c, await inputItems(turns, turn, includedIn(c))));
}

/** Estimates how many tokens a request would take. Nothing is stored. */
async function postInputTokens(c: HttpContext): Promise<Response> {
  const body = await readJson(c, "conversation");
  const request = readResponseRequest(body, c.req.header(TOOLS_HEADER));
  const turns = turnsFor(c.get("server"), await authenticate(c));
  const input_tokens = await measureResponse(turns, request);
  return c.json({ object: "response.input_tokens", input_tokens });
}
