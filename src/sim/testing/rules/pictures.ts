/** What can be wrong with an image that is sent as base64. */
export type PictureFault =
  | { kind: "base64" }
  | { kind: "type"; mimeType: string }
  | { kind: "mismatch"; mimeType: string; really: string }
  | { kind: "size"; bytes: number };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const SIGNATURES: readonly [string, RegExp][] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/bmp", /^BM/],
  ["image/heic", /^[\s\S]{4}ftyp(?:heic|heix|mif1)/],
  ["image/avif", /^[\s\S]{4}ftypavif/],
  ["image/tiff", /^(?:II\*\0|MM\0\*)/],
  ["image/svg+xml", /^\s*(?:<\?xml|<svg)/],
];

/** Returns the type of an image by its first bytes; undefined if they are no image's. */
export function detectPicture(base64: string): string | undefined {
  const start = Buffer.from(base64.slice(0, 64), "base64").toString("latin1");
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}

/** Checks an image against the types and the size that a vendor takes. */
export function checkPicture(
  mimeType: string,
  base64: string,
  accepted: readonly string[],
  maxBytes = Number.POSITIVE_INFINITY,
): PictureFault | undefined {
  const type = mimeType === "image/jpg" ? "image/jpeg" : mimeType;
  if (!accepted.includes(mimeType)) return { kind: "type", mimeType };
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) return { kind: "base64" };
  const bytes = Math.floor((base64.length * 3) / 4);
  if (bytes > maxBytes) return { kind: "size", bytes };
  const really = detectPicture(base64);
  return really !== undefined && really !== type ? { kind: "mismatch", mimeType, really } : undefined;
}

/** Reads a data URL with base64; undefined for any other address. */
export function readDataUrl(url: string): { mimeType: string; data: string } | undefined {
  const comma = url.indexOf(",");
  const head = /^data:([^;,]*)(?:;[^;,]*)*;base64$/.exec(url.slice(0, Math.max(0, comma)));
  return head ? { mimeType: head[1] ?? "", data: url.slice(comma + 1) } : undefined;
}
