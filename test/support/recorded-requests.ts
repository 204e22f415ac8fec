import { existsSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../shared/corpus/clients/", import.meta.url);

export type Json = Record<string, unknown>;

/** A request that a real program has sent. */
export interface RecordedClientRequest {
  file: string;
  client: string;
  api: string;
  /** False if it depends on something that only the recording's own server knew. */
  replay: boolean;
  method: string;
  path: string;
  body: Json;
}

/** Returns the recorded requests. Without the corpus it returns none and prints a line about it. */
export function recordedRequests(): RecordedClientRequest[] {
  if (!existsSync(FOLDER)) {
    if (process.env.CI) throw new Error("The recorded requests are missing: ../shared/corpus/clients");
    console.log("Skipped: no recorded requests in ../shared/corpus/clients");
    return [];
  }
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
  const index: { file: string; client: string; api: string; replay?: boolean }[] = read("index.json");
  return index.map(({ file, client, api, replay = true }) => {
    const { method = "", path = "", body = {} } = read(file);
    return { file, client, api, replay, method, path, body };
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
export function toldIn({ messages, input, instructions, tools }: Json): Told {
  const told: Told = { texts: [], results: [], images: [], tools: listOf(tools).flatMap(namesOf) };
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
    const { text, image_url: image } = part;
    if (typeof text === "string") texts.push(text);
    const url = String(objectOf(image).url ?? image ?? "");
    if (url.startsWith("data:")) told.images.push(url.slice(url.indexOf(",") + 1));
  }
}

function readUiPart({ type, text, state, output }: Json, told: Told): void {
  if (type === "text") told.texts.push(String(text));
  if (state === "output-available")
    told.results.push(typeof output === "string" ? output : JSON.stringify(output));
}

/** The names of the functions that a tool of a request stands for. Types that we leave out stand for none. */
function namesOf({ type, name, function: fn, tools }: Json): string[] {
  if (type === "namespace") return listOf(tools).map((member) => `${name}_${member.name}`);
  if (type === "web_search") return ["browser_search"];
  if (type === "tool_search") return ["tool_search"];
  return [String(objectOf(fn).name ?? name)];
}
