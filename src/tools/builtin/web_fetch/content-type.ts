export type ContentKind = "html" | "pdf" | "text" | "binary" | "unknown";

const TEXT_TYPES =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|jsonl|sql|graphql|x-sh|ld\+json|rtf)|.+\+(?:json|xml|yaml))$/;
const SNIFFED_BYTES = 1_024;

/** The media type of a `content-type` header, without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** What the header promises. */
export function kindByHeader(contentType: string): ContentKind {
  const type = mediaTypeOf(contentType);
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/pdf" || type === "application/x-pdf") return "pdf";
  if (TEXT_TYPES.test(type)) return "text";
  return type === "" || /^(?:application|binary)\/(?:x-)?octet-stream$/.test(type) ? "unknown" : "binary";
}

/** What the body turns out to be: a header may be missing, or wrong. */
export function kindByBody(contentType: string, body: Uint8Array): ContentKind {
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES));
  if (start.includes("%PDF-")) return "pdf";
  const promised = kindByHeader(contentType);
  if (promised === "binary") return "binary";
  if (!hasByteOrderMark(body) && !/utf-?(?:16|32)/i.test(contentType) && start.includes(0)) return "binary";
  if (promised === "html" || promised === "text") return promised;
  if (promised === "pdf") return "binary";
  const text = start.toString("latin1");
  if (/^\s*(?:<!--[\s\S]*?-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(text)) return "html";
  // Other control characters than white space do not occur in text.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\x01-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? "binary" : "text";
}

/** Decodes text by its byte order mark, the header, what the document says of itself, or as UTF-8, in this order. */
export function decodeText(contentType: string, body: Uint8Array): string {
  const declared = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  const label = byteOrderMark(body) ?? known(declared) ?? known(declaredInside(body));
  if (label !== undefined) return new TextDecoder(label).decode(body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What is no UTF-8 and says nothing of itself is most often an old page of the western world; a cut off
    // character or two do not make it one.
    const text = new TextDecoder("utf-8").decode(body);
    const damaged = text.split("\uFFFD").length - 1;
    return damaged <= 2 && text.length > 500 ? text : new TextDecoder("windows-1252").decode(body);
  }
}

function hasByteOrderMark(body: Uint8Array): boolean {
  return byteOrderMark(body) !== undefined;
}

function byteOrderMark(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return undefined;
}

function declaredInside(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES * 4)).toString("latin1");
  const label =
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start)?.[1] ??
    /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  // A page that could be read so far cannot be UTF-16.
  return label && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
