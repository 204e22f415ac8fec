import { isIP } from "node:net";
import { Failure } from "../protocol/failure.ts";
import type { Message } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { isPublicAddress } from "./fetch-address.ts";
import { checkUrl } from "./fetch-url.ts";

/**
 * Refuses private image addresses for everyone but the owner. The model server fetches image addresses, and one that runs
 * in our network could reach private hosts. Throws INVALID_INPUT.
 */
export function refuseInnerImages(messages: readonly Message[], { kind }: Principal): void {
  if (kind === "owner") return;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    const images = part.type === "tool_result" ? (part.images ?? []) : [part];
    for (const image of images) if (image.type === "image" && image.url !== undefined) refuseInner(image.url);
  }
}

function refuseInner(address: string): void {
  const { hostname } = checkUrl(address);
  if (isIP(hostname) === 0 || isPublicAddress(hostname)) return;
  throw new Failure(
    "INVALID_INPUT",
    "The address of an image has to be a public one. Send the image itself instead.",
  );
}
