import { Failure } from "../../protocol/failure.ts";
import type { ImportedMessage } from "../../protocol/imports.ts";

/** The most messages of one conversation that are imported. */
const MOST_MESSAGES = 10_000;
/** The most characters of one message that are imported. */
const MOST_CHARACTERS = 1_000_000;

/** A message of another program. Hidden ones are kept only as links in the tree. */
export interface Node extends Omit<ImportedMessage, "role"> {
  role: ImportedMessage["role"] | "hidden";
}

/**
 * The messages of a conversation, parents first. Children of a hidden message move to its parent, and consecutive messages
 * of the assistant are joined.
 */
export function growTree(nodes: readonly Node[], headId: string | undefined) {
  if (nodes.length > MOST_MESSAGES)
    throw new Failure("INVALID_INPUT", `A conversation may have at most ${MOST_MESSAGES} messages.`);
  const known = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<string, Node[]>();
  const roots: Node[] = [];
  for (const node of nodes) {
    const parent = node.parentId === undefined ? undefined : known.get(node.parentId);
    if (!parent || parent === node) roots.push(node);
    else if (!children.get(parent.id)?.push(node)) children.set(parent.id, [node]);
  }
  const messages = new Map<string, ImportedMessage>();
  /** The message that each node became part of. */
  const places = new Map<string, string | undefined>();
  const waiting = roots.reverse().map((node) => ({ node, after: undefined as string | undefined }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, after } = next;
    const place = settle(messages, node, after, (children.get(node.parentId ?? "") ?? []).length > 1);
    places.set(node.id, place);
    for (const child of (children.get(node.id) ?? []).toReversed())
      waiting.push({ node: child, after: place });
  }
  const head = headId === undefined ? undefined : places.get(headId);
  return { messages: [...messages.values()], headId: head };
}

/** Adds a node and returns the message that contains it. */
function settle(
  messages: Map<string, ImportedMessage>,
  node: Node,
  after: string | undefined,
  hasSiblings: boolean,
): string | undefined {
  const text = node.text.slice(0, MOST_CHARACTERS).toWellFormed();
  if (node.role === "hidden" || text.trim() === "") return after;
  const before = after === undefined ? undefined : messages.get(after);
  if (before?.role === "assistant" && node.role === "assistant" && !hasSiblings) {
    before.text = `${before.text}\n\n${text}`.slice(0, MOST_CHARACTERS);
    return before.id;
  }
  const { id, model, createdAt, role } = node;
  messages.set(id, {
    id,
    role,
    text,
    parentId: after,
    ...(model ? { model: model.slice(0, 200) } : {}),
    ...(createdAt ? { createdAt } : {}),
  });
  return id;
}

/** Converts seconds since 1970, or a date string, to ISO. */
export function timeOf(value: unknown): string | undefined {
  const date =
    typeof value === "number" ? new Date(value * 1000) : new Date(typeof value === "string" ? value : NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
