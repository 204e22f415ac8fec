import type { Conversation } from "../../../protocol/conversations.ts";
import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import type { Part } from "../../../protocol/messages.ts";
import type { RecalledTurn, Turns } from "../../../protocol/turns.ts";
import { isCompaction } from "./compaction.ts";
import { itemId, runIdOf } from "./ids.ts";
import { type Item, wholeItem } from "./item-list.ts";
import { ResponseEvents } from "./response-events.ts";
import { eventsWithImages } from "./shown-images.ts";

/** How many earlier responses are followed. */
const MOST_EARLIER = 1_000;

/** The events of a response that was made before. */
export function eventsFor(
  { seal }: Turns,
  { createdAt, request, answer }: RecalledTurn,
  include: readonly string[] = [],
): ResponseEvents {
  return new ResponseEvents({
    seal,
    include,
    createdAt: seconds(createdAt),
    ...(answer ? { completedAt: seconds(answer.createdAt) } : {}),
    echo: request.echo ?? {},
    clientTools: request.clientTools ?? [],
    compacts: isCompaction(request.newest),
  });
}

/** A time as OpenAI writes it. */
export function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

/** Returns everything that a response was made from: what its request said, and the responses that it continues. */
export async function inputItems(
  turns: Turns,
  turn: RecalledTurn,
  include: readonly string[],
): Promise<Item[]> {
  const chain = [turn];
  for (let first = turn; chain.length < MOST_EARLIER; ) {
    const previous = first.request.echo?.previous_response_id;
    const earlier = typeof previous === "string" ? await turns.recall(runIdOf(previous)) : undefined;
    if (!earlier) break;
    chain.unshift(earlier);
    first = earlier;
  }
  const lists = await Promise.all(
    chain.map(async (one) => [
      ...(await ownInput(turns, one)),
      ...(one === turn ? [] : await ownOutput(turns, one, include)),
    ]),
  );
  return lists.flat();
}

/** Returns the items of a conversation, oldest first. */
export async function conversationItems(
  turns: Turns,
  conversation: Conversation,
  include: readonly string[],
): Promise<Item[]> {
  const { entries, removed } = await turns.conversations.entries(conversation);
  const lists = await Promise.all(
    entries.map(async (entry) =>
      "item" in entry
        ? [{ ...entry.item, id: entry.id }]
        : [...(await ownInput(turns, entry.turn)), ...(await ownOutput(turns, entry.turn, include))],
    ),
  );
  const found = new Map(lists.flat().map((item) => [item.id, item]));
  for (const id of removed) found.delete(id);
  return [...found.values()];
}

/** Returns a conversation as the input of its next response. A whole answer is only named: our own record has more of it. */
export async function conversationInput(turns: Turns, conversation: Conversation): Promise<Json[]> {
  const { entries, removed } = await turns.conversations.entries(conversation);
  const lists = await Promise.all(
    entries.map(async (entry): Promise<Json[]> => {
      if ("item" in entry) return [entry.item];
      const kept = (items: Item[]) => items.filter(({ id }) => !removed.has(id));
      const said = kept(await ownInput(turns, entry.turn));
      const output = await ownOutput(turns, entry.turn);
      const answer = kept(output);
      const isWhole = answer.length === output.length && !isCompaction(entry.turn.request.newest);
      if (!isWhole || answer.length === 0) return [...said, ...answer];
      return [...said, { type: "item_reference", id: answer[0]?.id ?? "" }];
    }),
  );
  return lists.flat();
}

async function ownInput(turns: Turns, turn: RecalledTurn): Promise<Item[]> {
  const given = (await turns.inputOf(turn)) ?? saidIn(turn);
  const objects = given.filter((item): item is JsonObject => isObject(item));
  // A reference is not its own item: the item is in an earlier response.
  return objects
    .filter(({ type }) => type !== "item_reference" && type !== "compaction_trigger")
    .map((item, index) => wholeItem(item, (prefix) => `${itemId(prefix, turn.runId, index)}i`));
}

async function ownOutput(turns: Turns, turn: RecalledTurn, include?: readonly string[]): Promise<Item[]> {
  const events = eventsFor(turns, turn, include);
  for (const event of await eventsWithImages(turns, turn.runId)) events.take(event);
  return events.output() as Item[];
}

/** Returns what was said in a turn of another protocol. */
function saidIn({ request: { newest, message, messages } }: RecalledTurn): JsonObject[] {
  if (!newest) return [{ role: "user", content: message ?? messages?.at(-1)?.content ?? "" }];
  const content = newest.parts.flatMap(contentOf);
  return [
    ...newest.parts.flatMap((part) =>
      part.type === "tool_result"
        ? [{ type: "function_call_output", call_id: part.toolCallId, output: part.output }]
        : [],
    ),
    ...(content.length > 0 ? [{ role: "user", content }] : []),
  ];
}

function contentOf(part: Part): JsonObject[] {
  if (part.type === "text") return [{ type: "input_text", text: part.text }];
  if (part.type !== "image") return [];
  const { url = null, fileId = null, detail = "auto" } = part;
  return [{ type: "input_image", detail, image_url: url, file_id: fileId }];
}
