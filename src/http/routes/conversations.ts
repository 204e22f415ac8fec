import type { Conversation } from "../../protocol/conversations.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { Turns } from "../../protocol/turns.ts";
import { readJson, readOptionalJson } from "../body.ts";
import { authenticate } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { itemNotFound, refused } from "../dialects/openai/errors.ts";
import { checkNotEmpty, missing, readList, readObject } from "../dialects/openai/fields.ts";
import { includedIn, listPage, readNewItems } from "../dialects/openai/item-list.ts";
import { conversationNotFound } from "../dialects/openai/response-turn.ts";
import { conversationItems, seconds } from "../dialects/openai/turn-items.ts";
import { turnsFor } from "../dialects/turns.ts";

/** OpenAI's Conversations. */
export function conversationRoutes(): Route[] {
  return [
    route("POST /v1/conversations", postConversation),
    route("GET /v1/conversations/:id", async (c) => c.json(shown((await own(c)).conversation))),
    route("POST /v1/conversations/:id", postMetadata),
    route("DELETE /v1/conversations/:id", deleteConversation),
    route("POST /v1/conversations/:id/items", postItems),
    route("GET /v1/conversations/:id/items", getItems),
    route("GET /v1/conversations/:id/items/:itemId", getItem),
    route("DELETE /v1/conversations/:id/items/:itemId", deleteItem),
  ];
}

async function postConversation(c: HttpContext): Promise<Response> {
  const body = objectIn(await readOptionalJson(c));
  const metadata = readMetadata(body) ?? {};
  const items = readNewItems(readList(body, "items") ?? [], "items");
  const turns = turnsFor(c.get("server"), await authenticate(c));
  return c.json(shown(await turns.conversations.create(metadata, items)));
}

async function postMetadata(c: HttpContext): Promise<Response> {
  const metadata = readMetadata(objectIn(await readJson(c)));
  if (!metadata) throw missing("metadata");
  const { turns, conversation } = await own(c);
  await turns.conversations.update(conversation, metadata);
  return c.json(shown({ ...conversation, metadata }));
}

async function deleteConversation(c: HttpContext): Promise<Response> {
  const { turns, conversation } = await own(c);
  await turns.conversations.remove(conversation);
  return c.json({ id: conversation.id, object: "conversation.deleted", deleted: true });
}

async function postItems(c: HttpContext): Promise<Response> {
  const list = readList(objectIn(await readJson(c, "conversation")), "items");
  if (!list) throw missing("items");
  checkNotEmpty(list, "items");
  const items = readNewItems(list, "items");
  const { turns, conversation } = await own(c);
  await turns.conversations.add(conversation, items);
  const data = items.map(({ item }) => item);
  const [first_id = null, last_id = null] = [items[0]?.id, items.at(-1)?.id];
  return c.json({ object: "list", data, first_id, last_id, has_more: false });
}

async function getItems(c: HttpContext): Promise<Response> {
  const { turns, conversation } = await own(c);
  return c.json(listPage(c, await conversationItems(turns, conversation, includedIn(c))));
}

async function getItem(c: HttpContext): Promise<Response> {
  const { turns, conversation } = await own(c);
  return c.json(await itemOf(c, turns, conversation));
}

async function deleteItem(c: HttpContext): Promise<Response> {
  const { turns, conversation } = await own(c);
  const { id } = await itemOf(c, turns, conversation);
  await turns.conversations.removeItem(conversation, id);
  return c.json(shown(conversation));
}

async function itemOf(c: HttpContext, turns: Turns, conversation: Conversation) {
  const wanted = pathParameter(c, "itemId");
  const item = (await conversationItems(turns, conversation, includedIn(c))).find(({ id }) => id === wanted);
  if (item) return item;
  throw itemNotFound(wanted);
}

async function own(c: HttpContext): Promise<{ turns: Turns; conversation: Conversation }> {
  const turns = turnsFor(c.get("server"), await authenticate(c));
  const id = pathParameter(c, "id");
  const conversation = await turns.conversations.find(id);
  if (conversation) return { turns, conversation };
  throw conversationNotFound(id);
}

function shown({ id, createdAt, metadata }: Conversation) {
  return { id, object: "conversation", created_at: seconds(createdAt), metadata };
}

function objectIn(body: unknown): Record<string, unknown> {
  if (!isObject(body)) throw refused("The body must be a JSON object.", null);
  return body;
}

/** Reads up to 16 texts, as OpenAI has them. */
function readMetadata(body: Record<string, unknown>): JsonObject | undefined {
  const metadata = readObject(body, "metadata");
  const pairs = Object.entries(metadata ?? {});
  const isWrong = ([name, value]: [string, unknown]) =>
    name.length > 64 || typeof value !== "string" || value.length > 512;
  if (pairs.length > 16 || pairs.some(isWrong))
    throw refused(
      "Invalid 'metadata': expected at most 16 strings of up to 512 characters, with names of up to 64.",
      "metadata",
      "invalid_value",
    );
  return metadata as JsonObject | undefined;
}
