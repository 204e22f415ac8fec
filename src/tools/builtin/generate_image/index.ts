import { z } from "zod";
import { imageBytes } from "../../../contain/image.ts";
import { defineTool } from "../../../protocol/define-tool.ts";
import type { EventOf } from "../../../protocol/events.ts";
import { Failure } from "../../../protocol/failure.ts";
import type { AssistantPart, ImagePart, Message } from "../../../protocol/messages.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";

const TIMEOUT_MS = 45_000;
/** Time reserved for returning an image that could not be stored. */
const RESERVED_MS = 1_000;
const STORING_MS = 10_000;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const SYSTEM = "You make images. Answer with exactly one image and without words.";

export default defineTool({
  name: "generate_image",
  description:
    "Makes an image from a description, or changes one: with mode edit the image that baseImage names, or else the " +
    "newest of this conversation. The person sees the image at once; describe it only if asked to.",
  // The description goes to the vendor of the image model, and each image costs money.
  effect: "network",
  retry: "unsafe",
  trust: "trusted",
  limit: "generate_image",
  modelRole: "image",
  timeoutMs: TIMEOUT_MS,
  outgoing: () => undefined,
  input: z.object({
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .describe("What the image shows, or what is to be changed in it"),
    mode: z
      .enum(["generate", "edit"])
      .optional()
      .describe("generate makes a new image, edit changes one; edit where baseImage is given, else generate"),
    baseImage: z.string().min(1).max(200).optional().describe("File id of the image to change"),
    aspectRatio: z
      .enum(["1:1", "16:9", "9:16", "4:3", "3:4"])
      .default("1:1")
      .describe("Width to height of the image"),
    style: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe("How it looks: watercolor, photo, line drawing"),
  }),
  preview: ({ prompt }) => prompt,
  async run({ prompt, mode, baseImage, aspectRatio, style }, context): Promise<ToolOutput> {
    const startedAt = performance.now();
    const base = await baseFor(mode ?? (baseImage === undefined ? "generate" : "edit"), baseImage, context);
    const request = [
      base ? `Change the image: ${prompt}` : prompt,
      ...(style === undefined ? [] : [`Style: ${style}`]),
      `Aspect ratio: ${aspectRatio}`,
    ].join("\n");
    const question: Message = {
      id: "question",
      role: "user",
      parts: [{ type: "text", text: request }, ...(base ? [base] : [])],
    };
    context.progress({ message: base ? "Changing the image" : "Painting", phase: "generating" });
    const answer = await ask(question, aspectRatio, context);
    const { fetchAllow, signal } = context;
    const image = await imageBytes(foundIn(answer.parts), {
      signal,
      maxBytes: MAX_IMAGE_BYTES,
      fetchAllow,
    });
    context.progress({ message: "Storing the image", phase: "storing" });
    const left = TIMEOUT_MS - RESERVED_MS - (performance.now() - startedAt);
    const stored = await store(image.bytes, prompt, context, Math.min(STORING_MS, left));
    const mimeType = image.mimeType;
    const shown: Omit<EventOf<"image_complete">, "type" | "toolCallId"> = stored
      ? { imageUrl: stored.url, mimeType, storageSucceeded: true, degradedMode: false }
      : { imageData: base64(image.bytes), mimeType, storageSucceeded: false, degradedMode: true };
    context.show({ type: "image_complete", toolCallId: context.toolCallId, ...shown });
    return {
      output: stored
        ? `The image was made and is shown to the person. Its file id is ${stored.id}: use it as baseImage to change the image.`
        : "The image was made and is shown to the person. It could not be stored, so it cannot be changed later.",
      data: { fileId: stored?.id, ...shown },
    };
  },
});

async function ask(question: Message, aspectRatio: string, context: ToolContext) {
  if (!context.askModel) throw new Failure("TOOL_FAILED", "There is no model here that could make images.");
  return context.askModel({
    role: "image",
    system: SYSTEM,
    messages: [question],
    aspectRatio,
    signal: context.signal,
  });
}

/** The image to change, for the model. */
async function baseFor(
  mode: "generate" | "edit",
  baseImage: string | undefined,
  { files }: ToolContext,
): Promise<ImagePart | undefined> {
  if (mode === "generate" && baseImage === undefined) return undefined;
  const id = baseImage ?? (await files?.latestImage());
  if (!files || id === undefined)
    throw new Failure(
      "INVALID_INPUT",
      "There is no image to change yet. Make one first, or name one by its file id.",
    );
  const { file, bytes } = await files.load(id);
  if (!/^image\/(png|jpeg|gif|webp|avif)$/.test(file.mimeType))
    throw new Failure("INVALID_INPUT", `The file ${id} is not an image that can be changed.`);
  return { type: "image", mimeType: file.mimeType, data: base64(bytes) };
}

function foundIn(parts: AssistantPart[]): ImagePart {
  const image = findImage(parts);
  if (image) return image;
  throw new Failure(
    "UPSTREAM_ERROR",
    "The image model answered without an image. Other words may help; TACKLE_IMAGE_MODEL names the model that is asked.",
    { retryable: false },
  );
}

/** Stores the image. Returns undefined where that fails or takes too long. */
async function store(
  bytes: Uint8Array,
  prompt: string,
  { files, signal, progress }: ToolContext,
  withinMs: number,
): Promise<{ id: string; url: string } | undefined> {
  if (!files) return undefined;
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, withinMs))]);
    const { file, url } = await files.save(bytes, { name: nameFor(prompt), signal: until });
    return { id: file.id, url };
  } catch {
    // The person gets the image even where it cannot be stored.
    signal.throwIfAborted();
    progress({ message: "The image could not be stored; it is handed over as it is", phase: "storing" });
    return undefined;
  }
}

/** The file name: the first words of the prompt. */
function nameFor(prompt: string): string {
  return (
    prompt
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()
      .split(" ")
      .slice(0, 8)
      .join(" ")
      .slice(0, 60) || "image"
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

/** An image in a model's text: Markdown, a bare address or a data URL. */
const WRITTEN =
  /data:image\/[\w.+-]+;base64,(?<data>[A-Za-z0-9+/=\s]+)|!\[[^\]]{0,500}\]\((?<linked>https?:\/\/[^\s)]{1,4000})\)|^\s*(?<bare>https?:\/\/\S{1,4000})\s*$/;

/** Returns the image in an answer, in whatever form the vendor sends it. */
function findImage(parts: AssistantPart[]): ImagePart | undefined {
  const image = parts.find((part) => part.type === "image");
  if (image?.type === "image") return image;
  for (const part of parts) {
    const found = part.type === "text" ? WRITTEN.exec(part.text)?.groups : undefined;
    if (found?.data !== undefined) return { type: "image", mimeType: "image/png", data: found.data };
    const url = found?.linked ?? found?.bare;
    if (url !== undefined) return { type: "image", mimeType: "image/png", url };
  }
  return undefined;
}
