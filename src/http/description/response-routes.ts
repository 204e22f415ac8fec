import { type Description, FRAMES, IDEMPOTENT, type Topic } from "./descriptions.ts";

const PAGE = {
  limit: "The maximum number of items, up to 100.",
  order: "`asc` or `desc`, the default.",
  after: "Only items after this one, in that order.",
};

const get = (summary: string): Description => ({ summary, 200: "OpenAiObject" });
const list = (summary: string): Description => ({ summary, query: PAGE, 200: "OpenAiList" });
const send = (summary: string): Description => ({ ...get(summary), body: "OpenAiRequest" });

/** OpenAI's Responses and Conversations. */
export const RESPONSE_ROUTES: Topic["routes"] = {
  "POST /v1/responses": {
    ...send("Responses with tools that run on the server"),
    ...{ headers: IDEMPOTENT, 200: ["OpenAiObject", FRAMES] },
  },
  "GET /v1/responses/:id": {
    summary: "Returns a response, or streams it again",
    query: { stream: "`true` streams its events.", starting_after: "Only events after this number." },
    200: ["OpenAiObject", FRAMES],
  },
  "DELETE /v1/responses/:id": get("Deletes a response"),
  "POST /v1/responses/:id/cancel": get("Stops a response"),
  "GET /v1/responses/:id/input_items": list("Lists the items that a response was made from"),
  "POST /v1/responses/input_tokens": send("Estimates the tokens of a request"),
  "POST /v1/responses/compact": {
    ...send("Returns items to send in place of a conversation: the person's words, and a summary"),
    headers: IDEMPOTENT,
  },
  "POST /v1/conversations": send("Creates a conversation, with `items` and `metadata`"),
  "GET /v1/conversations/:id": get("Returns a conversation"),
  "POST /v1/conversations/:id": send("Replaces the `metadata` of a conversation"),
  "DELETE /v1/conversations/:id": get("Deletes a conversation, with its session"),
  "GET /v1/conversations/:id/items": list("Lists the items of a conversation"),
  "POST /v1/conversations/:id/items": { ...send("Adds items to a conversation"), 200: "OpenAiList" },
  "GET /v1/conversations/:id/items/:itemId": {
    summary: "Returns an item of a conversation",
    200: "OpenAiItem",
  },
  "DELETE /v1/conversations/:id/items/:itemId": get("Removes an item from a conversation"),
};
