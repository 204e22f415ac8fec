import { z } from "zod";
import type { ImportedSession } from "../../protocol/imports.ts";
import { parseEach } from "./parse-each.ts";
import { growTree, type Node, timeOf } from "./tree.ts";

const content = z.looseObject({
  content_type: z.string().optional(),
  parts: z.array(z.unknown()).optional(),
  text: z.string().nullish(),
  language: z.string().nullish(),
});
const message = z.looseObject({
  author: z.looseObject({ role: z.string() }),
  create_time: z.number().nullish(),
  content: content.nullish(),
  recipient: z.string().nullish(),
  metadata: z
    .looseObject({
      model_slug: z.string().nullish(),
      is_visually_hidden_from_conversation: z.boolean().nullish(),
    })
    .nullish(),
});
const conversation = z.looseObject({
  title: z.string().nullish(),
  create_time: z.number().nullish(),
  update_time: z.number().nullish(),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), z.unknown()),
});
const place = z.looseObject({ message: message.nullish(), parent: z.string().nullish() });
type Message = z.infer<typeof place>["message"];

/** Reads one entry of ChatGPT's `conversations.json`. Undefined if it is something else. */
export function readChatGpt(document: unknown): ImportedSession | undefined {
  const parsed = conversation.safeParse(document);
  const places = parsed.data && parseEach(place, Object.values(parsed.data.mapping));
  if (!parsed.data || !places) return undefined;
  const { title, create_time, update_time, current_node, mapping } = parsed.data;
  const nodes = Object.keys(mapping).map((id, at) => toNode(id, places[at]?.parent, places[at]?.message));
  return {
    title: title ?? "",
    createdAt: timeOf(create_time),
    updatedAt: timeOf(update_time),
    ...growTree(nodes, current_node ?? undefined),
  };
}

function toNode(id: string, parent: string | null | undefined, message: Message): Node {
  const role = roleOf(message);
  return {
    id,
    ...(parent ? { parentId: parent } : {}),
    role,
    text: role === "hidden" ? "" : textOf(message?.content),
    ...(message?.metadata?.model_slug ? { model: message.metadata.model_slug } : {}),
    ...(message?.create_time ? { createdAt: timeOf(message.create_time) } : {}),
  };
}

/** Tool messages and hidden instructions are kept only as links in the tree. */
function roleOf(message: Message): Node["role"] {
  const role = message?.author.role;
  if (message?.metadata?.is_visually_hidden_from_conversation) return "hidden";
  if (role === "user") return "user";
  const toPerson = !message?.recipient || message.recipient === "all";
  return role === "assistant" && toPerson ? "assistant" : "hidden";
}

function textOf(said: z.infer<typeof content> | null | undefined): string {
  if (!said) return "";
  const kind = said.content_type ?? "text";
  if (kind === "code") return `\`\`\`${said.language ?? ""}\n${said.text ?? ""}\n\`\`\``;
  if (kind !== "text" && kind !== "multimodal_text") return "";
  return (said.parts ?? []).map(partText).join("\n").trim();
}

/** Images and audio are in other files of the archive. */
function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const kind = z.looseObject({ content_type: z.string(), text: z.string().optional() }).safeParse(part);
  if (!kind.success) return "";
  if (kind.data.content_type === "audio_transcription") return kind.data.text ?? "";
  return kind.data.content_type === "image_asset_pointer" ? "*[picture]*" : "";
}
