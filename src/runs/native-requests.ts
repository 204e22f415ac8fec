import { isObject, type Json, type JsonObject } from "../protocol/json.ts";
import type { NativeRequest } from "../protocol/model.ts";

/** Shorter values stay where they are. */
const LEAST_BASE64 = 4_096;

/** Returns the request without the bytes of its images and documents, which `keep` keeps: clients send them again each time. */
export async function withoutBytes(
  native: NativeRequest,
  keep: (bytes: Uint8Array) => Promise<string>,
): Promise<NativeRequest> {
  const body = structuredClone(native.body);
  const aside: Record<string, string> = {};
  for (const { source, path } of sourcesIn(body)) {
    const data = String(source.data);
    const bytes = Buffer.from(data, "base64");
    // What is not written in the usual way could not be restored exactly.
    if (data.length < LEAST_BASE64 || bytes.toString("base64") !== data) continue;
    aside[path] = await keep(bytes);
    source.data = "";
  }
  return Object.keys(aside).length > 0 ? { ...native, body, aside } : native;
}

/** Returns the request with its bytes. Undefined if they are gone. */
export async function withBytes(
  { aside, ...native }: NativeRequest,
  read: (id: string) => Promise<Uint8Array | undefined>,
): Promise<NativeRequest | undefined> {
  if (!aside) return native;
  const body = structuredClone(native.body);
  for (const { source, path } of sourcesIn(body)) {
    const id = aside[path];
    const bytes = id === undefined ? undefined : await read(id);
    if (id !== undefined && !bytes) return undefined;
    if (bytes) source.data = Buffer.from(bytes).toString("base64");
  }
  return { ...native, body };
}

function* sourcesIn(value: Json | undefined, path = ""): Generator<{ source: JsonObject; path: string }> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* sourcesIn(one, `${path}/${index}`);
  } else if (isObject(value)) {
    const object = value as JsonObject;
    if (object.type === "base64" && typeof object.data === "string") yield { source: object, path };
    for (const [key, one] of Object.entries(object)) yield* sourcesIn(one, `${path}/${key}`);
  }
}
