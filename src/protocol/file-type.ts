/** How many bytes from the start are needed to detect a file's type. */
export const HEAD_BYTES = 4_096;

/** Images that browsers show and that cannot contain scripts. */
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);

/** True for an image that is safe to show. SVG is not one: it is a document. */
export function isImageType(mimeType: string | undefined): boolean {
  return mimeType !== undefined && IMAGE_TYPES.has(mimeType);
}

/** Office documents whose text can be read, by the ending of their names. */
const OFFICE_TYPES: Readonly<Record<string, string>> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
};
const ZIP = "PK\x03\x04";

/** Returns the type of an Office document: a zip archive, which its name tells from others. */
export function officeType(head: Uint8Array, name: string | undefined): string | undefined {
  const ending = /\.(\w{3,4})$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  return latin1(head.subarray(0, 4)) === ZIP ? OFFICE_TYPES[ending] : undefined;
}

export function isOfficeType(mimeType: string): boolean {
  return Object.values(OFFICE_TYPES).includes(mimeType);
}

/** Types of files that a message can hold. What has no signature and is text becomes one of the last ones. */
export const ATTACHABLE_TYPES: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/svg+xml",
  "application/pdf",
  "application/json",
  ...Object.values(OFFICE_TYPES),
  "text/*",
];

interface Signature {
  type: string;
  at?: number;
  bytes: string;
  also?: { at: number; bytes: string };
}

const SIGNATURES: readonly Signature[] = [
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", bytes: "\xff\xd8\xff" },
  { type: "image/gif", bytes: "GIF87a" },
  { type: "image/gif", bytes: "GIF89a" },
  { type: "image/webp", bytes: "RIFF", also: { at: 8, bytes: "WEBP" } },
  { type: "audio/wav", bytes: "RIFF", also: { at: 8, bytes: "WAVE" } },
  { type: "application/pdf", bytes: "%PDF-" },
  { type: "audio/mpeg", bytes: "ID3" },
  { type: "audio/mpeg", bytes: "\xff\xfb" },
  { type: "audio/flac", bytes: "fLaC" },
  { type: "audio/ogg", bytes: "OggS" },
  { type: "video/webm", bytes: "\x1a\x45\xdf\xa3" },
];

/** Brands of the container format that AVIF, MP4 and others share. */
const BRANDS: Readonly<Record<string, string>> = {
  avif: "image/avif",
  avis: "image/avif",
  isom: "video/mp4",
  iso2: "video/mp4",
  mp41: "video/mp4",
  mp42: "video/mp4",
  avc1: "video/mp4",
  "M4A ": "audio/mp4",
};

/** How documents start that a browser would run or draw, after declarations and comments. */
const PREAMBLE = /^\ufeff?(?:\s|<\?[^>]*>|<!--[\s\S]*?-->|<!doctype\s+svg[^>]*>)*/i;
const SVG = /^<(?:[a-z]+:)?svg[\s/>]/i;
const HTML = /^<(?:!doctype\s+html|[a-z]+(?:\s[^>]*)?\/?>|[a-z]+\s)/i;

const DECLARED_TEXT = /^(?:text\/[\w.+-]+|application\/(?:json|xml|x-ndjson|yaml|x-yaml|toml|javascript))$/;

/** Detects the type from the first bytes. Undefined if they have no signature, as in text. */
export function sniffHead(head: Uint8Array): string | undefined {
  const text = latin1(head.subarray(0, 32));
  const found = SIGNATURES.find(
    ({ bytes, at = 0, also }) =>
      text.startsWith(bytes, at) && (!also || text.startsWith(also.bytes, also.at)),
  );
  if (found) return found.type;
  return text.startsWith("ftyp", 4) ? BRANDS[text.slice(8, 12)] : undefined;
}

/** How a file may write its text. */
export type TextEncodingName = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";
const CHARSET = /^text\/[\w.+-]+; charset=(utf-16le|utf-16be|windows-1252)$/;

/** Returns the encoding of a stored text, which its type names if it is not UTF-8. */
export function encodingOf(mimeType: string): TextEncodingName {
  return (CHARSET.exec(mimeType)?.[1] ?? "utf-8") as TextEncodingName;
}

/** The type of a text, with its encoding if that is not UTF-8. */
export function encodedTextType(
  head: Uint8Array,
  declaredType: string | undefined,
  encoding: TextEncodingName,
): string {
  const type = textType(head, declaredType, encoding);
  if (encoding === "utf-8") return type;
  return `${type.startsWith("text/") ? type : "text/plain"}; charset=${encoding}`;
}

/** The type of a text: markup is detected from its start, otherwise the sender's type is used. */
export function textType(
  head: Uint8Array,
  declaredType: string | undefined,
  encoding: TextEncodingName = "utf-8",
): string {
  const text = new TextDecoder(encoding).decode(head).replace(PREAMBLE, "");
  const declared = declaredType?.split(";", 1)[0]?.trim().toLowerCase();
  if (SVG.test(text) || declared === "image/svg+xml") return "image/svg+xml";
  if (HTML.test(text) || declared === "text/html" || declared === "application/xhtml+xml") return "text/html";
  return declared !== undefined && DECLARED_TEXT.test(declared) ? declared : "text/plain";
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
