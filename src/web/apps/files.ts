import { isObject } from "../../protocol/json.ts";

/** A file that an app wants the person to have. */
export interface OfferedFile {
  name: string;
  bytes: number;
  save(): void;
}

/** Returns the file that a resource holds. Undefined if it holds none. */
export function fileIn(resource: unknown): OfferedFile | undefined {
  if (!isObject(resource)) return undefined;
  const { text, blob, mimeType, uri } = resource;
  const content = typeof text === "string" ? text : typeof blob === "string" ? bytesOf(blob) : undefined;
  if (content === undefined) return undefined;
  const file = new Blob([content], {
    type: typeof mimeType === "string" ? mimeType : "application/octet-stream",
  });
  const name = nameIn(typeof uri === "string" ? uri : "");
  return {
    name,
    bytes: file.size,
    save() {
      const address = URL.createObjectURL(file);
      Object.assign(document.createElement("a"), { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    },
  };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // It is not base64.
  }
}

/** The last part of an address as a file name, without what could mislead. */
function nameIn(uri: string): string {
  const last = uri.split(/[?#]/)[0]?.split("/").at(-1) ?? "";
  return last.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(-100) || "file";
}
