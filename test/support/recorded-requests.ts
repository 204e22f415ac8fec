import { existsSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../shared/corpus/clients/", import.meta.url);

export type Json = Record<string, unknown>;

/** A request that a real program has sent. */
export interface RecordedClientRequest {
  file: string;
  client: string;
  api: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Json;
  /** Of a protocol without HTTP: what both sides said. */
  messages: Json[];
}

/** Returns the recorded requests. Without the corpus it returns none and prints a line about it. */
export function recordedRequests(): RecordedClientRequest[] {
  if (!existsSync(FOLDER)) {
    if (process.env.CI) throw new Error("The recorded requests are missing: ../shared/corpus/clients");
    console.log("Skipped: no recorded requests in ../shared/corpus/clients");
    return [];
  }
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
  const index: { file: string; client: string; api: string }[] = read("index.json");
  return index.map(({ file, client, api }) => {
    const { method = "", path = "", headers = {}, body, messages = [] } = read(file);
    return { file, client, api, method, path, headers, body: body ?? {}, messages };
  });
}

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
export const objectOf = (value: unknown): Json => (value ?? {}) as Json;

/** What a request tells the model: texts, results and images that must arrive as they are, and names of tools. */
export interface Told {
  texts: string[];
  results: string[];
  images: string[];
  tools: string[];
}

/** Returns what a request tells the model, in any of the dialects that clients speak here. */
export function toldIn({ messages, input, instructions, tools, system }: Json): Told {
  const told: Told = { texts: [], results: [], images: [], tools: listOf(tools).flatMap(namesOf) };
  read(system, told.texts, told);
  if (typeof input === "string") told.texts.push(input);
  if (typeof instructions === "string") told.texts.push(instructions);
  for (const item of [...listOf(messages), ...listOf(input)]) {
    const isResult = item.role === "tool" || /_output$/.test(String(item.type));
    read(isResult ? (item.output ?? item.content) : item.content, isResult ? told.results : told.texts, told);
    for (const part of listOf(item.parts)) readUiPart(part, told);
  }
  told.texts = told.texts.filter((text) => text !== "");
  return told;
}

function read(content: unknown, texts: string[], told: Told): void {
  if (typeof content === "string") texts.push(content);
  for (const part of listOf(content)) {
    const { text, image_url: image, type, source } = part;
    if (type === "tool_result") readResult(part, told);
    if (type === "image" && objectOf(source).data) told.images.push(String(objectOf(source).data));
    if (typeof text === "string") texts.push(text);
    const url = String(objectOf(image).url ?? image ?? "");
    if (url.startsWith("data:")) told.images.push(url.slice(url.indexOf(",") + 1));
  }
}

/** A result in Anthropic's format: its texts are lines. */
function readResult({ content }: Json, told: Told): void {
  const texts: string[] = [];
  read(content, texts, told);
  if (texts.length > 0) told.results.push(texts.join("\n"));
}

function readUiPart({ type, text, state, output }: Json, told: Told): void {
  if (type === "text") told.texts.push(String(text));
  if (state === "output-available")
    told.results.push(typeof output === "string" ? output : JSON.stringify(output));
}

/** The names of the functions that a tool of a request stands for. Types that we leave out stand for none. */
function namesOf({ type, name, function: fn, tools }: Json): string[] {
  if (type === "namespace") return listOf(tools).map((member) => `${name}_${member.name}`);
  if (String(type).startsWith("web_search")) return ["browser_search"];
  if (type === "tool_search") return ["tool_search"];
  return [String(objectOf(fn).name ?? name)];
}
