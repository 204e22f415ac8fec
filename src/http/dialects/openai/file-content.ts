import { isUtf8 } from "node:buffer";
import { sniffHead } from "../../../protocol/file-type.ts";
import { isObject } from "../../../protocol/json.ts";
import type { ImagePart, TextPart } from "../../../protocol/messages.ts";
import type { Body } from "./fields.ts";

/** Image types that all vendors accept. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PDF = "application/pdf";
const BASE64 = /^(?:data:[^,]*;base64,)?([A-Za-z0-9+/]+={0,2})$/;

/**
 * Returns what the model is given of a part that is neither text nor an image: the content of a file if a model can read it,
 * whatever type the client gives it, and otherwise a note about what it was.
 */
export function readOtherPart(part: Body, type: string): TextPart | ImagePart {
  const { filename } = isObject(part.file) ? part.file : part;
  const name = typeof filename === "string" ? filename.slice(0, 200) : "";
  const address = addressIn(part);
  if (isObject(part.source) && part.source.type === "text") return asDocument(name, address);
  const data = BASE64.exec(address.replace(/\s+/g, ""))?.[1];
  const bytes = Buffer.from(data ?? "", "base64");
  const detected = sniffHead(bytes);
  // PDFs travel as images do. Their text is read when the turn starts.
  if (data && detected && (detected === PDF || IMAGE_TYPES.includes(detected)))
    return { type: "image", mimeType: detected, data };
  if (data && !detected && isUtf8(bytes) && !bytes.includes(0))
    return asDocument(name, bytes.toString("utf8"));
  // The model may have a tool that opens it.
  if (/^https?:\/\//i.test(address))
    return { type: "text", text: `[A file at ${address.slice(0, 2_000)}, which this model cannot open.]` };
  const label = name ? `, ${name}` : "";
  return { type: "text", text: `[Content of type ${type.slice(0, 60)}${label} cannot be shown here.]` };
}

/** Where programs put the bytes of a file or their address: OpenAI's, Anthropic's, Gemini's, those of LangChain and the AI SDK. */
const HOLDERS = ["file", "source", "inline_data", "inlineData"];
const ADDRESSES = ["file_data", "data", "image", "url", "file_url"];

/** Returns the bytes of a part in base64, or its URL. */
export function addressIn(part: Body): string {
  const holders = [...HOLDERS.map((name) => part[name]).filter(isObject), part];
  const values = holders.flatMap((holder) => ADDRESSES.map((name) => holder[name]));
  return values.find((value) => typeof value === "string") ?? "";
}

/** Sets the text of a file apart from what the person wrote. */
function asDocument(name: string, text: string): TextPart {
  const title = name ? ` title="${name.replace(/["<>&]/g, "_")}"` : "";
  return { type: "text", text: `\n<document${title}>\n${text}\n</document>\n` };
}
