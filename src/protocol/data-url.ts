/** A `data:` address, taken apart. */
export interface DataUrl {
  /** Empty if the address names none. */
  mimeType: string;
  isBase64: boolean;
  data: string;
}

/**
 * Takes a `data:` address apart, or returns undefined if it is something else. Reads it once: a pattern for all of it would begin
 * again at each character of an address of a megabyte that has no comma.
 */
export function readDataUrl(address: string): DataUrl | undefined {
  const comma = address.indexOf(",");
  if (comma === -1 || !/^data:/i.test(address)) return undefined;
  const head = address.slice("data:".length, comma);
  const [mimeType = ""] = head.split(";", 1);
  return { mimeType, isBase64: /;base64$/i.test(head), data: address.slice(comma + 1) };
}
