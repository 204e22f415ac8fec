import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Encrypts secrets of users. A value opens only for the user and the name that it was sealed for. */
export interface Vault {
  seal(text: string, owner: VaultPlace): string;
  /** Returns undefined if it was sealed with another key or for another place, or was changed. */
  open(sealed: string, owner: VaultPlace): string | undefined;
}

export interface VaultPlace {
  userId: string;
  name: string;
}

const VERSION = "v1.";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Uses AES-256-GCM with a new nonce for each value, bound to its place. */
export function createVault(key: Buffer): Vault {
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(placeBytes(place));
      const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return VERSION + Buffer.concat(sealed).toString("base64url");
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      if (!sealed.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(placeBytes(place))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined; // The tag does not match.
      }
    },
  };
}

/** As JSON, so that no two places have the same bytes. */
function placeBytes({ userId, name }: VaultPlace): Buffer {
  return Buffer.from(JSON.stringify([userId, name]));
}
