import type { JsonObject } from "../../src/protocol/json.ts";
import type { ImagePart, Message, Part, ToolCallPart, ToolResultPart } from "../../src/protocol/messages.ts";
import type { ToolSpec } from "../../src/protocol/model.ts";

/** The model that is asked, and the one that wrote the conversation if it is another. */
export interface Asked {
  model: string;
  other: string;
}

let count = 0;

/** Returns a message of the person. */
export function user(...parts: (string | Part)[]): Message {
  return { id: `msg_${count++}`, role: "user", parts: parts.map(asPart) };
}

/** Returns a message of a model. */
export function assistant(model: string, ...parts: (string | Part)[]): Message {
  return { id: `msg_${count++}`, role: "assistant", model, parts: parts.map(asPart) };
}

/** Returns a system message in the middle of a conversation. */
export function system(text: string): Message {
  return { id: `msg_${count++}`, role: "system", parts: [{ type: "text", text }] };
}

function asPart(part: string | Part): Part {
  return typeof part === "string" ? { type: "text", text: part } : part;
}

/** Returns a call, with what every vendor wants back with it. */
export function call(
  id: string,
  args: string,
  name = "get_weather",
  metadata: JsonObject = SIGNED,
): ToolCallPart {
  return { type: "tool_call", id, name, arguments: args, metadata };
}

/** Returns the result of a call. */
export function result(
  id: string,
  output = "Sunny, 21 degrees.",
  more: Partial<ToolResultPart> = {},
): ToolResultPart {
  return {
    type: "tool_result",
    toolCallId: id,
    toolName: "get_weather",
    success: true,
    output,
    trust: "untrusted",
    ...more,
  };
}

const SIGNED: JsonObject = { thoughtSignature: "c2lnbmF0dXJl" };

/** Returns thoughts as each dialect stores them. */
export function thought(text: string, metadata: JsonObject = THOUGHT): Part {
  return { type: "reasoning", text, metadata };
}

const THOUGHT: JsonObject = {
  signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h",
  thoughtSignature: "c2lnbmF0dXJl",
  item: {
    type: "reasoning",
    id: "rs_68af",
    summary: [{ type: "summary_text", text: "Thinking." }],
    encrypted_content: "gAAAAABo",
  },
  reasoning_details: [
    { type: "reasoning.text", text: "Thinking.", signature: "EqQB", format: "anthropic-claude-v1", index: 0 },
  ],
};

const BYTES = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==",
  jpeg: "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
  gif: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  webp: "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
  bmp: "Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAD/AAD/AAAAAP8AAP8AAA==",
  "svg+xml": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>').toString("base64"),
  heic: Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1").toString("base64"),
  avif: Buffer.from("\0\0\0\x18ftypavif\0\0\0\0avifmif1", "latin1").toString("base64"),
  tiff: Buffer.from("II*\0\x08\0\0\0\0\0\0\0\0\0", "latin1").toString("base64"),
};

/** Returns an image of a type, optionally under the label of another. */
export function image(type: keyof typeof BYTES, label: string = type): ImagePart {
  return { type: "image", mimeType: `image/${label}`, data: BYTES[type] };
}

/** Returns a PNG of about that many bytes. */
export function largeImage(bytes: number): ImagePart {
  const head = Buffer.from(BYTES.png, "base64");
  return {
    type: "image",
    mimeType: "image/png",
    data: Buffer.concat([head, Buffer.alloc(bytes - head.length)]).toString("base64"),
  };
}

/** The tool that most conversations call. */
export const WEATHER: ToolSpec = {
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string", description: "The city." },
      days: { type: "integer", minimum: 1, maximum: 7 },
    },
    required: ["city"],
  },
};

/** Returns a tool with that name. */
export function tool(name: string, parameters: ToolSpec["parameters"] = WEATHER.parameters): ToolSpec {
  return { name, description: `The tool ${name.slice(0, 40)}.`, parameters };
}
