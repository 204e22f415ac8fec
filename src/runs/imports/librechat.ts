import { z } from "zod";
import type { ImportedSession } from "../../protocol/imports.ts";
import { growTree, type Node, timeOf } from "./tree.ts";

const said = {
  messageId: z.string(),
  parentMessageId: z.string().nullish(),
  text: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string() })).nullish(),
  isCreatedByUser: z.boolean().nullish(),
  sender: z.string().nullish(),
  model: z.string().nullish(),
  createdAt: z.string().nullish(),
};
type Said = z.infer<z.ZodObject<typeof said>> & { children?: Said[] | null };
const message: z.ZodType<Said> = z.lazy(() =>
  z.looseObject({ ...said, children: z.array(message).nullish() }),
) as z.ZodType<Said>;
const conversation = z
  .looseObject({
    conversationId: z.string(),
    title: z.string().nullish(),
    exportAt: z.string().nullish(),
    messages: z.array(message).optional(),
    messagesTree: z.array(message).optional(),
  })
  .refine(({ messages, messagesTree }) => messages !== undefined || messagesTree !== undefined);

/** Reads a LibreChat export, with or without branches. Undefined if it is something else. */
export function readLibreChat(document: unknown): ImportedSession | undefined {
  const parsed = conversation.safeParse(document);
  if (!parsed.success) return undefined;
  const { title, messages, messagesTree } = parsed.data;
  const nodes = flatten(messagesTree ?? messages ?? []);
  const times = nodes.flatMap(({ createdAt }) => createdAt ?? []).sort();
  return {
    title: title ?? "",
    createdAt: times[0],
    updatedAt: times.at(-1),
    ...growTree(nodes, nodes.at(-1)?.id),
  };
}

/** In a tree, the parent ids of children are unreliable, so the nesting decides. */
function flatten(roots: readonly Said[]): Node[] {
  const nodes: Node[] = [];
  const waiting = roots.toReversed().map((one) => ({ one, parentId: one.parentMessageId ?? undefined }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { one, parentId } = next;
    nodes.push(toNode(one, parentId));
    for (const child of (one.children ?? []).toReversed())
      waiting.push({ one: child, parentId: one.messageId });
  }
  return nodes;
}

function toNode(one: Said, parentId: string | undefined): Node {
  const fromPerson = one.isCreatedByUser ?? one.sender?.toLowerCase() === "user";
  const createdAt = timeOf(one.createdAt);
  return {
    id: one.messageId,
    ...(parentId === undefined ? {} : { parentId }),
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
