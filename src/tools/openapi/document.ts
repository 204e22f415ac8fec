import { readFile, stat } from "node:fs/promises";
import { containedFetch } from "../../contain/fetch.ts";
import { hostAndPort } from "../../contain/fetch-url.ts";
import { isObject } from "../../protocol/json.ts";

const MAX_DOCUMENT_BYTES = 10_000_000;
const MAX_REFERENCES = 20;

/** A parsed OpenAPI document. */
export interface ApiDocument {
  root: Record<string, unknown>;
  /** Where it was fetched from; undefined for a file. */
  url: string | undefined;
  version: "3.0" | "3.1";
}

/** Reads a document from a file or an address. Throws an error that says what is wrong with it. */
export async function loadDocument(place: string): Promise<ApiDocument> {
  const isAddress = /^https?:\/\//i.test(place);
  const text = isAddress ? await fetchText(place) : await readText(place);
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw new Error("the document is not JSON (YAML is not read: convert it first)"); // A syntax error says no more.
  }
  const version =
    isObject(root) && typeof root.openapi === "string" ? /^3\.[012]/.exec(root.openapi)?.[0] : undefined;
  if (!isObject(root) || version === undefined) throw new Error("the document is not OpenAPI 3.0 or 3.1");
  return { root, url: isAddress ? place : undefined, version: version === "3.0" ? "3.0" : "3.1" };
}

/** Resolves references within the document. Returns undefined for a broken or circular one. */
export function follow(document: ApiDocument, value: unknown): unknown {
  let found = value;
  for (let steps = 0; isObject(found) && typeof found.$ref === "string"; steps++) {
    if (steps >= MAX_REFERENCES) return undefined;
    found = lookUp(document.root, found.$ref);
  }
  return found;
}

/** The value that a local reference such as `#/components/schemas/Pet` names. */
export function lookUp(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let found = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside = isObject(found) || Array.isArray(found) ? found : {};
    found = Object.hasOwn(inside, key) ? (inside as Record<string, unknown>)[key] : undefined;
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A name with a percent sign in it.
  }
}

async function fetchText(url: string): Promise<string> {
  const { status, body } = await containedFetch(url, {
    // The operator named this host.
    allow: [hostAndPort(new URL(url))],
    headers: { accept: "application/json" },
    maxBytes: MAX_DOCUMENT_BYTES,
  });
  if (status !== 200) throw new Error(`the document could not be fetched (status ${status})`);
  return new TextDecoder().decode(body);
}

async function readText(file: string): Promise<string> {
  const { size } = await stat(file).catch(() => {
    throw new Error("the document cannot be read");
  });
  if (size > MAX_DOCUMENT_BYTES) throw new Error("the document is too large");
  return readFile(file, "utf8");
}
