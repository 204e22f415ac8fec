import { z } from "zod";
import type { ImportedSession } from "../../protocol/imports.ts";
import { growTree, type Node, timeOf } from "./tree.ts";

const message = z.looseObject({
  messageId: z.string(),
  parentMessageId: z.string().nullish(),
  text: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string() })).nullish(),
  isCreatedByUser: z.boolean().nullish(),
  sender: z.string().nullish(),
  model: z.string().nullish(),
  createdAt: z.string().nullish(),
  children: z.array(z.unknown()).nullish(),
});
const conversation = z
  .looseObject({
    conversationId: z.string(),
    title: z.string().nullish(),
    exportAt: z.string().nullish(),
    messages: z.array(z.unknown()).optional(),
    messagesTree: z.array(z.unknown()).optional(),
  })
  .refine(({ messages, messagesTree }) => messages !== undefined || messagesTree !== undefined);

/** Reads a LibreChat export, with or without branches. Undefined if it is something else. */
export function readLibreChat(document: unknown): ImportedSession | undefined {
  const parsed = conversation.safeParse(document);
  if (!parsed.success) return undefined;
  const { title, messages, messagesTree } = parsed.data;
  const nodes = flatten(messagesTree ?? messages ?? []);
  if (!nodes) return undefined;
  const times = nodes.flatMap(({ createdAt }) => createdAt ?? []).sort();
  return {
    title: title ?? "",
    createdAt: times[0],
    updatedAt: times.at(-1),
    ...growTree(nodes, nodes.at(-1)?.id),
  };
}

/** In a tree, the parent ids of children are unreliable, so the nesting decides. Undefined if one is no message. */
function flatten(roots: readonly unknown[]): Node[] | undefined {
  const nodes: Node[] = [];
  const waiting: { value: unknown; above?: string }[] = roots.toReversed().map((value) => ({ value }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { above } = next;
    const { data: one } = message.safeParse(next.value);
    if (!one) return undefined;
    nodes.push(toNode(one, above ?? one.parentMessageId ?? undefined));
    for (const value of (one.children ?? []).toReversed()) waiting.push({ value, above: one.messageId });
  }
  return nodes;
}

function toNode(one: z.infer<typeof message>, parentId: string | undefined): Node {
  const fromPerson = one.isCreatedByUser ?? one.sender?.toLowerCase() === "user";
  const createdAt = timeOf(one.createdAt);
  return {
    id: one.messageId,
    parentId,
    role: fromPerson ? "user" : "assistant",
    text: one.text || (one.content ?? []).map(partText).filter(Boolean).join("\n\n"),
    ...(one.model && !fromPerson ? { model: one.model } : {}),
    ...(createdAt ? { createdAt } : {}),
  };
}

/** A text is a string or an object with `value`. Tool output is left out. */
function partText(part: { type: string; text?: unknown }): string {
  if (part.type !== "text") return "";
  if (typeof part.text === "string") return part.text;
  const wrapped = z.object({ value: z.string() }).safeParse(part.text);
  return wrapped.success ? wrapped.data.value : "";
}
