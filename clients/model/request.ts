import { isObject } from "../../src/protocol/json.ts";

export interface OfferedTool {
  name: string;
  /** The JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
  /** True if it takes a text of any form instead of arguments. */
  custom: boolean;
}

/** A message as the model reads it. */
export interface ReadMessage {
  role: string;
  /** The text, or a tool's result. */
  text: string;
  /** The images in it, as base64. */
  images: string[];
}

/** A request to the scripted vendor, independent of the dialect. */
export interface ModelRequest {
  messages: ReadMessage[];
  tools: OfferedTool[];
  /** The schema that the answer must follow. */
  schema?: Record<string, unknown>;
  /** True if any JSON object will do. */
  json: boolean;
  stream: boolean;
}

type Json = Record<string, unknown>;

/** Reads a request in OpenAI's Chat Completions or Responses dialect. */
export function readRequest(body: unknown): ModelRequest {
  const { messages, input, instructions, tools, response_format, text, stream } = objectOf(body);
  const system = typeof instructions === "string" ? [{ role: "system", text: instructions, images: [] }] : [];
  const format = objectOf(objectOf(text).format ?? response_format);
  const schema = format.schema ?? objectOf(format.json_schema).schema;
  return {
    messages: [...system, ...listOf(messages).map(readMessage), ...listOf(input).map(readMessage)],
    tools: listOf(tools).flatMap(readTool),
    ...(isObject(schema) && { schema }),
    json: format.type === "json_object",
    stream: stream === true,
  };
}

function readMessage({ role, type, content, output }: Json): ReadMessage {
  const isResult = role === "tool" || String(type).endsWith("_output");
  return { role: isResult ? "tool" : String(role ?? type), ...readContent(output ?? content) };
}

function readContent(content: unknown): Pick<ReadMessage, "text" | "images"> {
  if (typeof content === "string") return { text: content, images: [] };
  const parts = listOf(content);
  const texts = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const urls = parts.map(({ image_url: image }) => String(objectOf(image).url ?? image ?? ""));
  const images = urls.filter((url) => url.startsWith("data:")).map((url) => url.slice(url.indexOf(",") + 1));
  return { text: texts.join("\n"), images };
}

function readTool({ type, name, function: called, parameters }: Json): OfferedTool[] {
  const spec = isObject(called) ? called : { name, parameters };
  if (typeof spec.name !== "string") return [];
  return [{ name: spec.name, parameters: objectOf(spec.parameters), custom: type === "custom" }];
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
