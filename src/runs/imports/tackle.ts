import { z } from "zod";
import type { ImportedSession } from "../../protocol/imports.ts";
import { modelParameters } from "../../protocol/projects.ts";
import { parseEach } from "./parse-each.ts";
import { growTree, type Node, timeOf } from "./tree.ts";

const exported = z.looseObject({
  format: z.literal("tackle.session"),
  session: z.looseObject({
    title: z.string(),
    createdAt: z.string().optional(),
    updatedAt: z.string().optional(),
    headId: z.string().optional(),
    // Those of a newer version may not be valid here.
    parameters: modelParameters.optional().catch(undefined),
  }),
  messages: z.array(z.unknown()),
});
const message = z.looseObject({
  id: z.string(),
  parentId: z.string().optional(),
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
  model: z.string().optional(),
  createdAt: z.string().optional(),
});

/** Reads a JSON export of `GET /sessions/:id/export`. Undefined if it is something else. */
export function readTackle(document: unknown): ImportedSession | undefined {
  const parsed = exported.safeParse(document);
  const messages = parsed.data && parseEach(message, parsed.data.messages);
  if (!parsed.data || !messages) return undefined;
  const { session } = parsed.data;
  const branched = messages.some(({ parentId }) => parentId !== undefined);
  const nodes = messages.map(({ id, parentId, role, content, model, createdAt }, index): Node => {
    // Older exports had no branches.
    const before = branched ? parentId : messages[index - 1]?.id;
    return {
      id,
      parentId: before,
      role: role === "system" ? "hidden" : role,
      text: content,
      ...(model ? { model } : {}),
      createdAt: timeOf(createdAt),
    };
  });
  return {
    title: session.title,
    createdAt: timeOf(session.createdAt),
    updatedAt: timeOf(session.updatedAt),
    parameters: session.parameters,
    ...growTree(nodes, session.headId ?? nodes.at(-1)?.id),
  };
}
