import { isObject, type Json, type JsonObject } from "../protocol/json.ts";

/** A part of a client's request, stored as it is. Long values are kept apart, by their place in it. */
interface Told {
  body: JsonObject;
  aside?: Record<string, string>;
}

/** Shorter values stay where they are. */
const LEAST_BASE64 = 4_096;

/** Returns the request without the bytes of its images and documents, which `keep` keeps: clients send them again each time. */
export async function withoutBytes<Of extends Told>(
  told: Of,
  keep: (bytes: Uint8Array) => Promise<string>,
): Promise<Of> {
  const body = structuredClone(told.body);
  const aside: Record<string, string> = {};
  for (const { holder, field, head, path } of sourcesIn(body)) {
    const data = String(holder[field]).slice(head.length);
    const bytes = Buffer.from(data, "base64");
    // What is not written in the usual way could not be restored exactly.
    if (data.length < LEAST_BASE64 || bytes.toString("base64") !== data) continue;
    aside[path] = await keep(bytes);
    holder[field] = head;
  }
  return Object.keys(aside).length > 0 ? { ...told, body, aside } : told;
}

/** Returns the request with its bytes. Undefined if they are gone. */
export async function withBytes<Of extends Told>(
  { aside, ...told }: Of,
  read: (id: string) => Promise<Uint8Array | undefined>,
): Promise<Omit<Of, "aside"> | undefined> {
  if (!aside) return told;
  const body = structuredClone(told.body);
  for (const { holder, field, head, path } of sourcesIn(body)) {
    const id = aside[path];
    const bytes = id === undefined ? undefined : await read(id);
    if (id !== undefined && !bytes) return undefined;
    if (bytes) holder[field] = head + Buffer.from(bytes).toString("base64");
  }
  return { ...told, body };
}

/** A value in base64, behind `head`. */
interface Source {
  holder: JsonObject;
  field: string;
  head: string;
  path: string;
}

const DATA_URL = /^data:[^,]{0,200};base64,/;

function* sourcesIn(value: Json | undefined, path = ""): Generator<Source> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* sourcesIn(one, `${path}/${index}`);
  } else if (isObject(value)) {
    const object = value as JsonObject;
    if (object.type === "base64" && typeof object.data === "string")
      yield { holder: object, field: "data", head: "", path };
    for (const [field, one] of Object.entries(object)) {
      const [head] = (typeof one === "string" && DATA_URL.exec(one)) || [];
      if (head !== undefined) yield { holder: object, field, head, path: `${path}/${field}` };
      else yield* sourcesIn(one, `${path}/${field}`);
    }
  }
}
