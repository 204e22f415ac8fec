import { z } from "zod";
import type { ImportedSession } from "../../protocol/imports.ts";
import { parseEach } from "./parse-each.ts";
import { growTree, type Node, timeOf } from "./tree.ts";

const conversation = z.looseObject({
  name: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  chat_messages: z.array(z.unknown()),
});
const message = z.looseObject({
  uuid: z.string(),
  parent_message_uuid: z.string().nullish(),
  sender: z.enum(["human", "assistant"]),
  text: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })).nullish(),
  created_at: z.string().nullish(),
});

/** Reads one entry of Claude's `conversations.json`. Undefined if it is something else. */
export function readClaude(document: unknown): ImportedSession | undefined {
  const parsed = conversation.safeParse(document);
  const messages = parsed.data && parseEach(message, parsed.data.chat_messages);
  if (!parsed.data || !messages) return undefined;
  const { name, created_at, updated_at } = parsed.data;
  const nodes = messages.map((one, index): Node => {
    const parent = one.parent_message_uuid ?? messages[index - 1]?.uuid;
    const pieces = (one.content ?? []).flatMap(({ type, text }) => (type === "text" && text ? [text] : []));
    return {
      id: one.uuid,
      ...(parent ? { parentId: parent } : {}),
      role: one.sender === "human" ? "user" : "assistant",
      text: pieces.join("\n\n") || (one.text ?? ""),
      createdAt: timeOf(one.created_at),
    };
  });
  return {
    title: name ?? "",
    createdAt: timeOf(created_at),
    updatedAt: timeOf(updated_at),
    ...growTree(nodes, nodes.at(-1)?.id),
  };
}
