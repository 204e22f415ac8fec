import { fileIdIn } from "../protocol/files.ts";
import { textOf } from "../protocol/messages.ts";
import type { Block, ImageState, Notice, RunState, ToolCallState } from "../protocol/reduce.ts";
import type { StoredMessage } from "../protocol/sessions.ts";
import type { SharedCopy, SharedMessage, ShareOptions } from "../protocol/shares.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import { attachmentsOf } from "./transcript.ts";

/** Addresses that open something for as long as their signature holds. */
const SIGNED =
  /(\/files\/file_[\w-]+)\?exp=\d+&sig=[\w-]+|(\/artifacts\/[\w-]+\/(?:preview|view)\?version=\d+)&key=[\w-]+/g;
/** Fields that name something instead of saying it. */
const NAMES = new Set([
  "type",
  "role",
  "status",
  "toolCallId",
  "artifactId",
  "artifactType",
  "fileId",
  "messageId",
  "imageUrl",
  "mimeType",
  "createdAt",
  "finishReason",
]);

/** Returns what looks like a key hidden, or the same text. */
export type HideKeys = (text: string) => Promise<string>;

/** Copies messages for readers with a link. `keys` counts the messages that contain what looks like a key. */
export async function copyMessages(
  messages: readonly StoredMessage[],
  options: ShareOptions,
  hideKeys: HideKeys,
): Promise<{ messages: SharedMessage[]; keys: number; artifacts: number }> {
  const copied: SharedMessage[] = [];
  const artifacts = new Set<string>();
  let keys = 0;
  for (const message of messages) {
    if (message.role === "system") continue;
    const plain = await mapTexts(toShared(message, options), async (text) => text.replace(SIGNED, "$1$2"));
    let found = false;
    const hidden = await mapTexts(plain, async (text) => {
      const safe = await hideKeys(text);
      found ||= safe !== text;
      await pauseIfLong();
      return safe;
    });
    if (found) keys += 1;
    const copy = options.hideKeys ? hidden : plain;
    for (const { artifactId } of artifactsOf(copy)) artifacts.add(artifactId);
    copied.push(copy);
    await pauseIfLong();
  }
  return { messages: copied, keys, artifacts: artifacts.size };
}

/** Returns the finished artifacts of a message in a copy. */
export function artifactsOf({ state }: SharedMessage) {
  return (state?.blocks ?? []).flatMap((block) =>
    block.type === "tool" && block.call.artifact?.complete
      ? [{ toolCallId: block.call.toolCallId, ...block.call.artifact }]
      : [],
  );
}

/** Returns the ids of all files that a copy shows. */
export function filesIn({ messages }: SharedCopy): Set<string> {
  return new Set(
    messages.flatMap(({ attachments = [], state }) => [
      ...attachments.map(({ fileId }) => fileId),
      ...imagesOf(state).flatMap(({ imageUrl }) => imageUrl?.replace("/files/", "") ?? []),
    ]),
  );
}

function imagesOf(state: RunState | undefined): ImageState[] {
  const made = (state?.blocks ?? []).flatMap((block) =>
    block.type === "tool" && block.call.image ? [block.call.image] : [],
  );
  return [...made, ...(state?.images ?? [])];
}

/** Replaces the images of an answer. */
export function withImages(state: RunState, map: (image: ImageState) => ImageState): RunState {
  const blocks = state.blocks.map((block): Block => {
    if (block.type !== "tool" || !block.call.image) return block;
    return { ...block, call: { ...block.call, image: map(block.call.image) } };
  });
  return { ...state, blocks, ...(state.images ? { images: state.images.map(map) } : {}) };
}

function toShared(message: StoredMessage, options: ShareOptions): SharedMessage {
  const { role, createdAt, model } = message;
  const attachments = options.files ? (attachmentsOf(message.parts, () => "").attachments ?? []) : [];
  return {
    role: role === "user" ? "user" : "assistant",
    content: message.state?.text ?? textOf(message),
    createdAt,
    model,
    ...(attachments.length === 0 || role !== "user"
      ? {}
      : {
          attachments: attachments.map(({ fileId, mimeType, name = "" }) => ({ fileId, mimeType, name })),
        }),
    ...(message.state ? { state: sharedState(message.state, options.steps) } : {}),
  };
}

/** Leaves out what is private: ids, costs, errors, decisions, and without `steps` how the answer came about. */
function sharedState(state: RunState, steps: boolean): RunState {
  const kept = state.blocks.map((block) => sharedBlock(block, steps));
  const blocks: Block[] = [];
  const notices: Notice[] = [];
  for (const [index, block] of [...kept, undefined].entries()) {
    for (const { at, event } of state.notices ?? [])
      if (at === index && event.type === "user_message" && event.when === "now")
        notices.push({ at: blocks.length, event: { ...event, messageId: `${index}` } });
    if (block) blocks.push(block);
  }
  const { model, text, finishReason, images, todo, iterations, toolCalls } = state;
  const shared: RunState = {
    sessionId: "",
    runId: "",
    messageId: "",
    title: "",
    model,
    text,
    blocks,
    warnings: [],
    iterations,
    toolCalls,
    finishReason,
    ...(notices.length > 0 ? { notices } : {}),
    ...(steps && todo ? { todo } : {}),
    images,
  };
  return withImages(shared, sharedImage);
}

function sharedBlock(block: Block, steps: boolean): Block | undefined {
  if (block.type === "text") return block;
  if (block.type === "reasoning") return steps ? block : undefined;
  const { toolCallId, toolName, textOffset, status, artifact, image } = block.call;
  const made: ToolCallState = {
    toolCallId,
    toolName,
    arguments: {},
    textOffset,
    status,
    ...(artifact ? { artifact: withoutAddress(artifact) } : {}),
    image,
  };
  if (!steps) return artifact || image ? { type: "tool", call: made } : undefined;
  const { arguments: args, output, error, latencyMs, search, question } = block.call;
  return {
    type: "tool",
    call: {
      ...made,
      arguments: args,
      ...(output === undefined ? {} : { output }),
      ...(error ? { error } : {}),
      ...(latencyMs === undefined ? {} : { latencyMs }),
      ...(search ? { search } : {}),
      ...(question ? { question } : {}),
    },
  };
}

function withoutAddress({ previewUrl: _, ...artifact }: NonNullable<ToolCallState["artifact"]>) {
  return artifact;
}

/** Names the image's file by its id. An image that was never stored stays as it is. */
function sharedImage(image: ImageState): ImageState {
  const id = fileIdIn(image.imageUrl);
  if (id === undefined) return image;
  const { imageData: _, ...facts } = image;
  return { ...facts, imageUrl: `/files/${id}` };
}

/** Replaces every text inside a value, except names. */
async function mapTexts<Value>(value: Value, map: HideKeys, field = ""): Promise<Value> {
  if (typeof value === "string") return (NAMES.has(field) ? value : await map(value)) as Value;
  if (Array.isArray(value)) {
    const mapped: unknown[] = [];
    for (const inner of value) mapped.push(await mapTexts(inner, map, field));
    return mapped as Value;
  }
  if (typeof value !== "object" || value === null) return value;
  const mapped: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) mapped.push([name, await mapTexts(inner, map, name)]);
  return Object.fromEntries(mapped) as Value;
}
