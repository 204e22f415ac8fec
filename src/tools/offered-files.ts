import { type Dirent, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { contentFrom, contentsFrom, type ResourceContents } from "../protocol/content.ts";
import { isObject } from "../protocol/json.ts";
import type { OfferedPrompt, OfferedResource, PromptArgument, PromptMessage } from "../protocol/offerings.ts";
import { importDefault } from "./tool-files.ts";
import type { FolderKind } from "./watched-folder.ts";

const SCRIPT = /\.(ts|js|mjs)$/;
const MAX_FILE_BYTES = 8_000_000;
const NAME = /^[A-Za-z0-9][\w. -]{0,99}$/;
const PLACEHOLDER = /\{\{\s*([\w-]{1,64})\s*\}\}/g;
/** Kinds of files that are read as text. The others are sent as bytes. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".md": "text/markdown",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
};
const BINARY_TYPES: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".mp3": "audio/mpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".wav": "audio/wav",
  ".webp": "image/webp",
};

type ReadFrontMatter = (text: string) => { values: ReadonlyMap<string, string>; body: string };

/** Prompts that people put into a folder: Markdown with placeholders, or scripts. */
export function promptFiles(readFrontMatter: ReadFrontMatter): FolderKind<OfferedPrompt> {
  return {
    name: "prompt",
    files: (folder, entries) => namesOf(folder, entries, (name) => SCRIPT.test(name) || name.endsWith(".md")),
    load: async (file, version) =>
      SCRIPT.test(file)
        ? promptFrom(await importDefault(file, version))
        : markdownPrompt(file, readFrontMatter(await readFile(file, "utf8"))),
  };
}

/** Resources that people put into a folder: any files, and scripts that describe resources. */
export const RESOURCE_FILES: FolderKind<OfferedResource[]> = {
  name: "resource",
  files: (folder, entries) => namesOf(folder, entries, () => true),
  async load(file, version) {
    if (!SCRIPT.test(file)) return [fileResource(file)];
    const made = await importDefault(file, version);
    return (Array.isArray(made) ? made : [made]).map(resourceFrom);
  },
};

function namesOf(folder: string, entries: readonly Dirent[], fits: (name: string) => boolean): string[] {
  return entries
    .filter(({ name }) => !name.startsWith(".") && !/\.(test|d)\.\w+$/.test(name) && fits(name))
    .map(({ name }) => join(folder, name));
}

function markdownPrompt(file: string, { values, body }: ReturnType<ReadFrontMatter>): OfferedPrompt {
  const name = values.get("name") ?? basename(file, ".md");
  const declared = (values.get("arguments") ?? "").split(",").map((one) => one.trim());
  const listed = declared.filter((one) => one !== "");
  const found = [...body.matchAll(PLACEHOLDER)].map(([, argument = ""]) => argument);
  const names = [...new Set([...listed.map((one) => one.replace(/\?$/, "")), ...found])];
  return checkedPrompt({
    name,
    description: values.get("description") ?? `The prompt ${name}.`,
    arguments: names.map((argument) => ({ name: argument, required: !listed.includes(`${argument}?`) })),
    get: async (args) => {
      const text = body.replace(PLACEHOLDER, (_, argument: string) => args[argument] ?? "");
      return [{ role: "user", content: { type: "text", text } }];
    },
  });
}

function promptFrom(made: unknown): OfferedPrompt {
  if (!isObject(made) || typeof made.get !== "function") throw new Error("get: a function is needed");
  const { get, complete } = made;
  return checkedPrompt({
    ...texts(made, "title"),
    name: String(made.name),
    description: String(made.description ?? `The prompt ${made.name}.`),
    arguments: Array.isArray(made.arguments) ? made.arguments.map(argumentFrom) : [],
    get: async (args, context) => messagesFrom(await get(args, context)),
    ...completing(complete),
  });
}

function argumentFrom(given: unknown): PromptArgument {
  if (typeof given === "string") return { name: given, required: true };
  if (!isObject(given) || typeof given.name !== "string") throw new Error("arguments: each needs a name");
  return { name: given.name, required: given.required === true, ...texts(given, "description") };
}

function checkedPrompt(prompt: OfferedPrompt): OfferedPrompt {
  if (!NAME.test(prompt.name)) throw new Error("name: letters, digits, dots, dashes and underscores");
  return prompt;
}

/** A prompt may return a text, messages, or an object with them. The content of a message may be a text. */
function messagesFrom(made: unknown): PromptMessage[] {
  if (typeof made === "string") return [{ role: "user", content: { type: "text", text: made } }];
  const messages = isObject(made) ? made.messages : made;
  if (!Array.isArray(messages)) throw new Error("a prompt returns a text or messages");
  return messages.flatMap((message: unknown) => {
    if (!isObject(message)) return [];
    const role = message.role === "assistant" ? "assistant" : "user";
    const { content } = message;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : [content].flat();
    return contentFrom(parts).map((block) => ({ role, content: block }) satisfies PromptMessage);
  });
}

function resourceFrom(made: unknown): OfferedResource {
  if (!isObject(made) || typeof made.read !== "function") throw new Error("read: a function is needed");
  const { read, uri, uriTemplate, mimeType } = made;
  const address = uri ?? uriTemplate;
  if (typeof address !== "string" || !/^[a-z][a-z0-9+.-]*:/i.test(address))
    throw new Error("uri or uriTemplate: an address such as notes://today is needed");
  const known = typeof mimeType === "string" ? { mimeType } : {};
  return {
    ...texts(made, "title", "description", "mimeType"),
    uri: address,
    template: uri === undefined,
    name: String(made.name ?? address),
    read: async (wanted, variables, context) => {
      const answer: unknown = await read(variables, context, wanted);
      return [answer].flat().map((one) => toContents(wanted, known, one));
    },
    ...completing(made.complete),
  };
}

/** A resource may return a text, bytes, or objects with `text` or `blob`. Other values become JSON. */
function toContents(uri: string, known: { mimeType?: string }, made: unknown): ResourceContents {
  if (typeof made === "string") return { uri, mimeType: "text/plain", ...known, text: made };
  if (made instanceof Uint8Array) return { uri, ...known, blob: Buffer.from(made).toString("base64") };
  const held = isObject(made) ? contentsFrom(uri, { ...known, ...made }) : undefined;
  return held ?? { uri, mimeType: "application/json", ...known, text: JSON.stringify(made ?? null) };
}

function fileResource(file: string): OfferedResource {
  const name = basename(file);
  const ending = extname(name).toLowerCase();
  const textType = TEXT_TYPES[ending];
  const mimeType = textType ?? BINARY_TYPES[ending] ?? "application/octet-stream";
  const { size } = statSync(file);
  if (size > MAX_FILE_BYTES) throw new Error("it is larger than 8 MB");
  return {
    uri: `tackle://resources/${encodeURIComponent(name)}`,
    template: false,
    name,
    mimeType,
    size,
    read: async (uri) => {
      const bytes = await readFile(file);
      const held =
        textType === undefined ? { blob: bytes.toString("base64") } : { text: bytes.toString("utf8") };
      return [{ uri, mimeType, ...held }];
    },
  };
}

function completing(complete: unknown): Pick<OfferedPrompt, "complete"> {
  if (typeof complete !== "function") return {};
  return {
    complete: async (argument, value, given) => {
      const found: unknown = await complete(argument, value, given);
      return Array.isArray(found) ? found.map(String) : [];
    },
  };
}

function texts<Name extends string>(made: Record<string, unknown>, ...names: Name[]) {
  const kept = names.filter((name) => typeof made[name] === "string");
  return Object.fromEntries(kept.map((name) => [name, made[name]])) as Partial<Record<Name, string>>;
}
