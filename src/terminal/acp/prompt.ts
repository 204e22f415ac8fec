import { fileURLToPath } from "node:url";
import { type ContentBlock, type ImageContent, RequestError } from "@agentclientprotocol/sdk";
import type { Chat } from "../../protocol/chat.ts";
import type { ChatRequest } from "../../protocol/requests.ts";

/** Turns the blocks of a prompt into a message. Images become attachments, and resources part of the text. */
export async function messageOf(
  prompt: readonly ContentBlock[],
  attach: Chat["attach"],
): Promise<Pick<ChatRequest, "message" | "attachments">> {
  let message = "";
  const resources: string[] = [];
  const attachments: { fileId: string }[] = [];
  for (const block of prompt) {
    switch (block.type) {
      case "text":
        message += block.text;
        break;
      case "resource_link":
        message += block.uri.startsWith("file://") ? pathOf(block.uri) : block.uri;
        break;
      case "resource":
        message += pathOf(block.resource.uri);
        if ("text" in block.resource)
          resources.push(`<file path="${pathOf(block.resource.uri)}">\n${block.resource.text}\n</file>`);
        break;
      case "image":
        attachments.push(await storeImage(block, attach));
        break;
      default:
        throw RequestError.invalidParams(undefined, "Tackle takes text, images and files in a prompt.");
    }
  }
  const whole = [message, ...resources].join("\n\n").trim();
  if (whole === "" && attachments.length === 0)
    throw RequestError.invalidParams(undefined, "The prompt is empty.");
  return {
    message: whole === "" ? "Look at this." : whole,
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

function pathOf(uri: string): string {
  if (!URL.canParse(uri) || !uri.startsWith("file://")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    // Not every editor encodes the percent sign of a name.
    return uri.slice("file://".length);
  }
}

async function storeImage({ data, uri, mimeType }: ImageContent, attach: Chat["attach"]) {
  const given = uri ? pathOf(uri).split("/").at(-1) : undefined;
  const name = given || `image.${mimeType.split("/").at(-1) ?? "png"}`;
  const { fileId } = await attach({ name, bytes: Buffer.from(data, "base64") });
  return { fileId };
}
