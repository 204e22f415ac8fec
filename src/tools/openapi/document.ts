import { readFile, stat } from "node:fs/promises";
import { containedFetch } from "../../contain/fetch.ts";
import { hostAndPort } from "../../contain/fetch-url.ts";
import { isObject } from "../../protocol/json.ts";
import { lookUp } from "../../protocol/json-pointer.ts";
import { fromSwagger } from "./swagger.ts";

/** GitHub's description, one of the largest, has 12 MB. */
const MAX_DOCUMENT_BYTES = 20_000_000;
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
  const given = await parseDocument(text);
  const root = isObject(given) && given.swagger === "2.0" ? fromSwagger(given) : given;
  const version =
    isObject(root) && typeof root.openapi === "string" ? /^3\.[012]/.exec(root.openapi)?.[0] : undefined;
  if (!isObject(root) || version === undefined)
    throw new Error("the document is not OpenAPI 2.0, 3.0 or 3.1");
  return { root, url: isAddress ? place : undefined, version: version === "3.0" ? "3.0" : "3.1" };
}

/** Parses JSON or YAML. YAML is read as the JSON that OpenAPI restricts it to, so dates and merge keys have no meaning. */
async function parseDocument(text: string): Promise<unknown> {
  try {
    if (/^\s*\{/.test(text)) return JSON.parse(text);
    const { JSON_SCHEMA, load } = await import("js-yaml");
    return load(text, { schema: JSON_SCHEMA });
  } catch {
    throw new Error("the document is neither JSON nor YAML"); // A syntax error says no more.
  }
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

async function fetchText(url: string): Promise<string> {
  const { status, body } = await containedFetch(url, {
    // The operator named this host.
    allow: [hostAndPort(new URL(url))],
    headers: { accept: "application/json, application/yaml, */*;q=0.8" },
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
