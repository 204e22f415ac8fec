import { createHmac, timingSafeEqual } from "node:crypto";
import { Failure } from "../protocol/failure.ts";

/** How long a signed URL is valid. */
export const SIGNED_SECONDS = 7 * 24 * 60 * 60;

export interface SignerOptions {
  /** The first one signs. URLs that an earlier one signed stay valid. */
  keys: readonly Uint8Array[];
  /** Epoch milliseconds. */
  now(): number;
}

/** Signs and checks the URLs of files, `/files/:id?exp&sig`. */
export function createSigner({ keys, now }: SignerOptions) {
  const [key] = keys;
  if (!key) throw new Error("a signer needs a key");
  return {
    url(id: string): string {
      const expires = Math.floor(now() / 1000) + SIGNED_SECONDS;
      return `/files/${id}?exp=${expires}&sig=${sign(id, String(expires), key)}`;
    },
    /** Returns the seconds that are left. Throws FORBIDDEN. */
    check(id: string, expires: string, signature: string): number {
      const given = Buffer.from(signature);
      const isForm = /^\d{1,12}$/.test(expires) && /^[A-Za-z0-9_-]{43}$/.test(signature);
      // Every key is tried, so that the time does not reveal which one it was.
      const matches = keys.filter(
        (one) => isForm && timingSafeEqual(given, Buffer.from(sign(id, expires, one))),
      );
      if (matches.length === 0)
        throw new Failure("FORBIDDEN", "This link is not valid. Copy the whole link.");
      const left = Number(expires) - Math.floor(now() / 1000);
      if (left <= 0)
        throw new Failure(
          "FORBIDDEN",
          "This link has expired. Open the conversation again to get a new one.",
        );
      return left;
    },
  };
}

export type Signer = ReturnType<typeof createSigner>;

function sign(id: string, expires: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(`file ${id} until ${expires}`).digest("base64url");
}
