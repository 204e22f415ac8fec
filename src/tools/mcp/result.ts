import { z } from "zod";
import { cleanText } from "../../protocol/clean-text.ts";
import { Failure } from "../../protocol/failure.ts";
import { isImageType, sniffHead } from "../../protocol/file-type.ts";
import type { ToolOutput } from "../../protocol/tool.ts";

const MAX_TEXT = 1_000_000;
const MAX_ERROR = 2_000;
const MAX_DATA_CHARACTERS = 200_000;
/** About 5 MB. */
const MAX_IMAGE_CHARACTERS = 7_000_000;

const resource = z.looseObject({
  uri: z.string().default(""),
  mimeType: z.string().optional(),
  text: z.string().optional(),
  blob: z.string().optional(),
});

/** The result of a call. Content of unknown kinds is named and left out. */
export const callResult = z.looseObject({
  content: z
    .array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        data: z.string().optional(),
        mimeType: z.string().optional(),
        uri: z.string().optional(),
        name: z.string().optional(),
        resource: resource.optional(),
      }),
    )
    .default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});

type CallResult = z.output<typeof callResult>;
type Block = CallResult["content"][number];

/** Converts a server's result to a tool's output. Throws TOOL_FAILED with the server's words for an error.  */
export function readResult(toolName: string, result: CallResult): ToolOutput {
  const text = textOf(result);
  if (result.isError) {
    const words = cleanText(text, MAX_ERROR).trim() || "it gives no reason";
    throw new Failure("TOOL_FAILED", `${toolName} reports an error: ${words}`, {
      untrusted: true,
      cause: { result },
    });
  }
  const data = result.structuredContent;
  const keptData = data !== undefined && JSON.stringify(data).length <= MAX_DATA_CHARACTERS;
  const images = result.content.flatMap((block) => imageIn(block) ?? []);
  return {
    output: text,
    trust: "untrusted",
    received: result,
    ...(images.length > 0 ? { images } : {}),
    ...(keptData ? { data } : {}),
  };
}

function textOf({ content, structuredContent }: CallResult): string {
  let text = "";
  for (const block of content) {
    if (text.length > MAX_TEXT) break;
    text += `${text === "" ? "" : "\n"}${describe(block).slice(0, MAX_TEXT)}`;
  }
  if (text !== "" || structuredContent === undefined) return text;
  return JSON.stringify(structuredContent, null, 2).slice(0, MAX_TEXT);
}

/** Returns an image that a model can be shown, with the type that its bytes have. */
function imageIn({ type, data = "" }: Block): { mimeType: string; base64: string } | undefined {
  if (type !== "image" || data.length > MAX_IMAGE_CHARACTERS) return undefined;
  const mimeType = sniffHead(Buffer.from(data.slice(0, 128), "base64"));
  return mimeType !== undefined && isImageType(mimeType) ? { mimeType, base64: data } : undefined;
}

/** Text is kept, and images follow the result. Everything else is only mentioned. */
function describe(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text ?? "";
    case "image":
    case "audio": {
      const image = imageIn(block);
      if (image)
        return `[image: ${image.mimeType}, ${bytesOf(block.data)}, follows if the model sees images]`;
      return `[${block.type}: ${line(block.mimeType ?? "unknown type")}, ${sizeOf(block.data)}]`;
    }
    case "resource_link":
      return `[link: ${line(block.name ?? "")} ${line(block.uri ?? "")}]`;
    case "resource": {
      const { uri = "", mimeType = "unknown type", text, blob } = block.resource ?? {};
      return text === undefined
        ? `[resource: ${line(uri)}, ${line(mimeType)}, ${sizeOf(blob)}]`
        : `[resource: ${line(uri)}]\n${text}`;
    }
    default:
      return `[${line(block.type)}: not shown]`;
  }
}

function sizeOf(base64: string | undefined): string {
  return `${bytesOf(base64)}, not shown`;
}

function bytesOf(base64 = ""): string {
  return `${Math.floor((base64.length * 3) / 4)} bytes`;
}

function line(text: string): string {
  return cleanText(text, 500).replace(/\s+/g, " ");
}
