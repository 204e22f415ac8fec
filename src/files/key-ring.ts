import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isObject } from "../protocol/json.ts";
import { SIGNED_SECONDS } from "./signature.ts";

interface RingKey {
  key: string;
  /** Epoch milliseconds after which nothing that it signed is valid; missing on the current key. */
  until?: number;
}

/**
 * Reads the keys that may have signed URLs, the current one first. An earlier key stays for as long as something that it
 * signed can be valid. Only the owner can read the file.
 */
export function readKeyRing(path: string, current: Uint8Array, now: number): Uint8Array[] {
  const key = Buffer.from(current).toString("base64url");
  const before = readRing(path);
  const earlier = before
    .filter((one) => one.key !== key)
    .map((one) => ({ key: one.key, until: one.until ?? now + SIGNED_SECONDS * 1000 }))
    .filter(({ until }) => until > now);
  const ring: RingKey[] = [{ key }, ...earlier];
  if (JSON.stringify(ring) !== JSON.stringify(before)) writeRing(path, ring);
  return ring.map((one) => Buffer.from(one.key, "base64url"));
}

function readRing(path: string): RingKey[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw thrown;
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.flatMap(toRingKey) : [];
  } catch {
    return []; // If the ring cannot be read, old URLs are invalid, but the server starts.
  }
}

function toRingKey(value: unknown): RingKey[] {
  if (!isObject(value) || typeof value.key !== "string") return [];
  return [typeof value.until === "number" ? { key: value.key, until: value.until } : { key: value.key }];
}

function writeRing(path: string, ring: RingKey[]): void {
  const next = `${path}.part`;
  writeFileSync(next, JSON.stringify(ring), { mode: 0o600 });
  renameSync(next, path);
}
