export type ContentKind = "html" | "pdf" | "text" | "binary" | "unknown";

const TEXT_TYPES =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|jsonl|sql|graphql|x-sh|ld\+json|rtf)|.+\+(?:json|xml|yaml))$/;
const SNIFFED_BYTES = 1_024;

/** The media type of a `content-type` header, without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** The kind according to the header. */
export function kindByHeader(contentType: string): ContentKind {
  const type = mediaTypeOf(contentType);
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/pdf" || type === "application/x-pdf") return "pdf";
  if (TEXT_TYPES.test(type)) return "text";
  return type === "" || /^(?:application|binary)\/(?:x-)?octet-stream$/.test(type) ? "unknown" : "binary";
}

/** The kind according to the body, since the header may be missing or wrong. */
export function kindByBody(contentType: string, body: Uint8Array): ContentKind {
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES));
  if (start.includes("%PDF-")) return "pdf";
  const promised = kindByHeader(contentType);
  if (promised === "binary") return "binary";
  if (byteOrderMark(body) === undefined && !/utf-?(?:16|32)/i.test(contentType) && start.includes(0))
    return "binary";
  if (promised === "html" || promised === "text") return promised;
  if (promised === "pdf") return "binary";
  const text = start.toString("latin1");
  if (/^\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype html|html|head|body)\b/i.test(text)) return "html";
  // Text has no control characters but white space.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\x01-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? "binary" : "text";
}

/** Decodes text by its byte order mark, the header, the document's own declaration, or as UTF-8, in this order. */
export function decodeText(contentType: string, body: Uint8Array): string {
  const declared = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
  const label = byteOrderMark(body) ?? known(declared) ?? known(declaredInside(body));
  if (label !== undefined) return new TextDecoder(label).decode(body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Undeclared text that is not UTF-8 is usually windows-1252. One or two truncated characters do not count.
    const text = new TextDecoder("utf-8").decode(body);
    const damaged = text.split("\uFFFD").length - 1;
    return damaged <= 2 && text.length > 500 ? text : new TextDecoder("windows-1252").decode(body);
  }
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
  // A declaration that was readable as Latin-1 cannot be UTF-16.
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
