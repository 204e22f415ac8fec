import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";
import { isImageType, sniffHead } from "../protocol/file-type.ts";
import type { ImagePart } from "../protocol/messages.ts";
import { containedFetch } from "./fetch.ts";

export interface ImageOptions {
  signal: AbortSignal;
  maxBytes: number;
  /** `host:port` entries that may have private addresses. */
  fetchAllow?: readonly string[];
}

/** Returns the bytes of an image that a model made, with the type detected from them. Throws UPSTREAM_ERROR. */
export async function imageBytes(
  image: Pick<ImagePart, "data" | "url">,
  options: ImageOptions,
): Promise<{ bytes: Uint8Array; mimeType: string }> {
  const bytes = image.data === undefined ? await fetched(image.url, options) : decoded(image.data, options);
  const mimeType = sniffHead(bytes.subarray(0, 64));
  if (mimeType === undefined || !isImageType(mimeType))
    throw new Failure("UPSTREAM_ERROR", "The image model answered with something that is not an image.", {
      retryable: false,
    });
  return { bytes, mimeType };
}

function decoded(data: string, { maxBytes }: ImageOptions): Uint8Array {
  if (data.length > (maxBytes * 4) / 3 + 4) throw tooLarge(maxBytes);
  return Buffer.from(data, "base64");
}

async function fetched(
  url: string | undefined,
  { signal, maxBytes, fetchAllow }: ImageOptions,
): Promise<Uint8Array> {
  if (url === undefined)
    throw new Failure("UPSTREAM_ERROR", "The image model announced an image but sent none.");
  try {
    const page = await containedFetch(url, {
      signal,
      maxBytes,
      allow: fetchAllow,
    });
    if (page.status === 200) return page.body;
    throw new Failure("UPSTREAM_ERROR", "The image that was made could not be fetched.");
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof Failure) || thrown.code === "UPSTREAM_ERROR") throw thrown;
    if (thrown.code === "UPSTREAM_TIMEOUT") throw thrown;
    if (thrown.code === "TOO_LARGE") throw tooLarge(maxBytes);
    // The vendor chose the address, so this is not the person's invalid input.
    throw new Failure(
      "UPSTREAM_ERROR",
      "The image model returned an address that Tackle does not fetch from.",
      {
        cause: thrown,
        retryable: false,
      },
    );
  }
}

function tooLarge(maxBytes: number): Failure {
  return new Failure("UPSTREAM_ERROR", `The image that was made is larger than ${byteSize(maxBytes)}.`, {
    retryable: false,
  });
}
