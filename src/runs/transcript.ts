import type { Attachment, TranscriptMessage } from "../protocol/chat.ts";
import { type Compaction, describeCompaction } from "../protocol/context.ts";
import { fenceFor } from "../protocol/fence.ts";
import { fileIdIn, lengthOf } from "../protocol/files.ts";
import { isSentIn, type Part, textOf } from "../protocol/messages.ts";
import { callsOf, type ImageState, type RunState } from "../protocol/reduce.ts";
import type { Session, StoredMessage } from "../protocol/sessions.ts";
import { pauseIfLong } from "../protocol/slices.ts";

type FileUrl = (fileId: string) => string;

/**
 * Converts a stored message for the API: without data that is only for vendors, and with fresh URLs of files.
 */
export function toTranscript(
  message: StoredMessage,
  fileUrl: FileUrl,
  compacted?: Compaction,
): TranscriptMessage {
  const { id, role, createdAt, parentId, siblings, model, runId, finishReason, usage } = message;
  const state = message.state && withFreshAddresses(message.state, fileUrl);
  return {
    id,
    role,
    content: state?.text ?? textOf(message),
    createdAt,
    parentId,
    siblings,
    model,
    runId,
    finishReason,
    usage,
    ...(role === "user" ? { ...attachmentsOf(message.parts, fileUrl), ...appsOf(message.parts) } : {}),
    compacted,
    ...(state === undefined
      ? {}
      : { toolCalls: callsOf(state).map(toCall), ...sentInto(state, message.parts, fileUrl), state }),
  };
}

/** The messages that the person sent into the run, at their places in the text. */
function sentInto(
  { blocks, notices = [] }: RunState,
  parts: readonly Part[],
  fileUrl: FileUrl,
): Pick<TranscriptMessage, "messagesIntoRun"> {
  const messagesIntoRun = notices.flatMap(({ at, event }) => {
    if (event.type !== "user_message" || event.when !== "now") return [];
    const before = blocks.slice(0, at);
    const textOffset = before.reduce(
      (sum, block) => sum + (block.type === "text" ? block.text.length : 0),
      0,
    );
    const afterCalls = before.filter(({ type }) => type === "tool").length;
    const { messageId, text } = event;
    const sent = parts.filter((part) => isSentIn(part) && part.messageId === messageId);
    return [{ messageId, message: text, ...attachmentsOf(sent, fileUrl), textOffset, afterCalls }];
  });
  return messagesIntoRun.length > 0 ? { messagesIntoRun } : {};
}

/** Returns what is attached to a message, if anything is. */
export function attachmentsOf(parts: readonly Part[], fileUrl: FileUrl): { attachments?: Attachment[] } {
  const attachments = parts.flatMap((part) => toAttachment(part, fileUrl));
  return attachments.length > 0 ? { attachments } : {};
}

/** Returns what interfaces of tools have to do with a message. */
function appsOf(parts: readonly Part[]): Pick<TranscriptMessage, "app" | "appContexts"> {
  const said = parts.find((part) => part.type === "text" && (part.app ?? part.apps) !== undefined);
  if (said?.type !== "text") return {};
  const { app, apps } = said;
  return { app, appContexts: apps };
}

function toAttachment(part: Part, fileUrl: FileUrl): Attachment[] {
  if (part.type === "image" && part.fileId !== undefined)
    return [{ fileId: part.fileId, mimeType: part.mimeType, url: fileUrl(part.fileId) }];
  if (part.type !== "text" || !part.file) return [];
  const { id, mimeType, name } = part.file;
  return [{ fileId: id, mimeType, name, ...lengthOf(part.file), url: fileUrl(id) }];
}

function withFreshAddresses(state: RunState, fileUrl: FileUrl): RunState {
  const fresh = (image: ImageState): ImageState => {
    const id = fileIdIn(image.imageUrl);
    return id === undefined ? image : { ...image, imageUrl: fileUrl(id) };
  };
  const blocks = state.blocks.map((block) =>
    block.type === "tool" && block.call.image
      ? { ...block, call: { ...block.call, image: fresh(block.call.image) } }
      : block,
  );
  return { ...state, blocks, ...(state.images ? { images: state.images.map(fresh) } : {}) };
}

function toCall(
  call: ReturnType<typeof callsOf>[number],
): NonNullable<TranscriptMessage["toolCalls"]>[number] {
  const { toolCallId, toolName, arguments: args, textOffset, output, error, latencyMs, status } = call;
  return {
    toolCallId,
    toolName,
    arguments: args,
    textOffset,
    ...(status === "succeeded" || status === "failed" ? { success: status === "succeeded" } : {}),
    output,
    error,
    latencyMs,
  };
}

/** Exports a whole session as one document. A long one is written in slices. */
export async function exportSession(
  session: Session,
  messages: TranscriptMessage[],
  format: "json" | "md",
): Promise<string> {
  if (format === "json") {
    const { userId: _, activeRunId: __, waiting: ___, ...facts } = session;
    const frame = { format: "tackle.session", version: 1, session: facts, messages: [] };
    const written: string[] = [];
    for (const message of messages) {
      written.push(`\n    ${JSON.stringify(message, null, 2).replaceAll("\n", "\n    ")}`);
      await pauseIfLong();
    }
    const list = written.length > 0 ? `[${written.join(",")}\n  ]` : "[]";
    return `${JSON.stringify(frame, null, 2).slice(0, -"[]\n}".length)}${list}\n}\n`;
  }
  const parts = [`# ${session.title}\n\n_${session.createdAt}_`];
  for (const message of messages) {
    parts.push(message.role === "assistant" ? assistantMarkdown(message) : spokenMarkdown(message));
    if (message.compacted) parts.push(compactionMarkdown(message.compacted));
    await pauseIfLong();
  }
  return `${parts.join("\n\n")}\n`;
}

function compactionMarkdown(compaction: Compaction): string {
  return `> ${describeCompaction(compaction)}`;
}

function spokenMarkdown(message: TranscriptMessage): string {
  return `## ${message.role === "user" ? "You" : "System"}\n\n${message.content}`;
}

/** The answer, with each call at its place in the text. */
function assistantMarkdown(message: TranscriptMessage): string {
  const title = `## Tackle${message.model ? ` (${message.model})` : ""}`;
  const parts = (message.state?.notices ?? []).flatMap(({ event }) =>
    event.type === "context_compacted" ? [compactionMarkdown(event)] : [],
  );
  const inserted = (message.toolCalls ?? []).map((call) => ({
    at: call.textOffset,
    text: callMarkdown(call),
  }));
  // From the back, so that the places of those before stay right.
  for (const {
    message: words,
    attachments = [],
    textOffset,
    afterCalls,
  } of message.messagesIntoRun?.toReversed() ?? []) {
    const said = [words, ...attachments.map(({ name, mimeType }) => `(attached: ${name ?? mimeType})`)].join(
      "\n",
    );
    const text = `> **You, meanwhile:** ${said.replaceAll("\n", "\n> ")}`;
    inserted.splice(afterCalls, 0, { at: textOffset, text });
  }
  let from = 0;
  for (const { at, text } of inserted) {
    parts.push(message.content.slice(from, at).trim(), text);
    from = at;
  }
  parts.push(message.content.slice(from).trim());
  return [title, ...parts.filter((part) => part !== "")].join("\n\n");
}

function callMarkdown(call: NonNullable<TranscriptMessage["toolCalls"]>[number]): string {
  const outcome = call.success === undefined ? "" : call.success ? " ✓" : ` ✗ ${call.error?.code ?? ""}`;
  const lines = [`**${call.toolName}**${outcome}`, fenced(JSON.stringify(call.arguments, null, 2), "json")];
  if (call.output) lines.push(fenced(call.output, ""));
  return lines.join("\n\n");
}

/** Fences a text with more backticks than it contains. */
export function fenced(text: string, language: string): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}
