import { existsSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { parse } from "yaml";

type Validate = (body: unknown) => string | undefined;

const FOLDER = new URL("../../../shared/corpus/specs/", import.meta.url);
const FILES: Record<string, string> = {
  openai: "openai.json",
  mistral: "mistral.yaml",
  openrouter: "openrouter.yaml",
};

/** The vendors that publish an API document. */
export const DOCUMENTED = Object.keys(FILES);

const validators = new Map<string, Validate | undefined>();
const documents = new Map<string, ReturnType<typeof readDocument>>();

/** Returns whether the published API documents are there. */
export function hasDocuments(): boolean {
  return existsSync(FOLDER);
}

/**
 * Returns the check of a vendor's endpoint by its published API document: what is wrong with a body, or undefined. There is
 * none for endpoints that the document does not describe. Documents are read and compiled once, when they are needed.
 */
export function documentOf(vendor: string, path: string): Validate | undefined {
  if (!FILES[vendor]) return undefined;
  const endpoint = path.replace(/\?.*$/, "").replace(/^\/(?:api\/)?v1(?=\/)/, "");
  const key = `${vendor} ${endpoint}`;
  if (!validators.has(key)) validators.set(key, compile(vendor, endpoint));
  return validators.get(key);
}

function compile(vendor: string, endpoint: string): Validate | undefined {
  const document = documents.get(vendor) ?? readDocument(FILES[vendor] ?? "");
  documents.set(vendor, document);
  const { ajv, paths } = document;
  const path = [endpoint, `/v1${endpoint}`].find((one) => one in paths);
  if (path === undefined) return undefined;
  const pointer = ["paths", path, "post", "requestBody", "content", "application/json", "schema"];
  const check = ajv.getSchema(
    `document#/${pointer.map((key) => encodeURIComponent(key.replaceAll("/", "~1"))).join("/")}`,
  );
  if (!check) return undefined;
  return (body) => {
    if (check(body)) return undefined;
    // Each alternative reports its own errors. The one that got furthest is the one that was meant.
    const [first] = (check.errors ?? []).sort(
      (one, other) => other.instancePath.length - one.instancePath.length,
    );
    return `${first?.instancePath || "/"} ${first?.message} ${JSON.stringify(first?.params)}`;
  };
}

function readDocument(file: string) {
  const text = readFileSync(new URL(file, FOLDER), "utf8");
  const document = readable(file.endsWith(".json") ? JSON.parse(text) : parse(text)) as { paths: object };
  const ajv = new Ajv2020({ strict: false, validateFormats: true, logger: false });
  formats.default(ajv);
  // The package's own pattern overflows the stack on images.
  ajv.addFormat("uri", (url) => URL.canParse(url));
  ajv.addSchema({ $id: "document", ...document });
  return { ajv, paths: document.paths };
}

/**
 * Several alternatives of the documents take the same value, so `oneOf` is read as `anyOf`. `nullable` is a word of OpenAPI 3.0
 * that they still use.
 */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, readable(inner)]);
  const { oneOf, nullable, ...rest } = Object.fromEntries(entries) as Record<string, unknown>;
  const plain = Array.isArray(oneOf)
    ? { ...rest, anyOf: [...oneOf, ...(Array.isArray(rest.anyOf) ? rest.anyOf : [])] }
    : Object.fromEntries(entries.filter(([key]) => key !== "nullable" || nullable !== true));
  return nullable === true ? { anyOf: [plain, { type: "null" }] } : plain;
}
