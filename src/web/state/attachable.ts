import { officeType } from "../../protocol/file-type.ts";
import type { TextKey } from "../text/english.ts";
import type { Values } from "../text/translate.ts";
import type { Me } from "./server.ts";

type Accepts = NonNullable<Me["accepts"]>;

/** Why a file can't go into a message. */
export interface Reason {
  key: TextKey;
  values?: Values;
}

const HEAD_BYTES = 4_096;
const MEGABYTE = 1024 * 1024;

/** Returns why the server would not take a file; undefined if it may. Reads no more than the beginning of the file. */
export async function reasonAgainst(file: File, accepts: Accepts): Promise<Reason | undefined> {
  if (file.size > accepts.fileBytes)
    return { key: "fileTooLarge", values: { size: Math.floor(accepts.fileBytes / MEGABYTE) } };
  if (file.size === 0) return { key: "fileEmpty" };
  if (isAccepted(file.type, accepts)) return undefined;
  const [kind = ""] = file.type.split("/", 1);
  if (kind === "video" || kind === "audio" || kind === "image") return reasonFor(kind);
  // The browser knows few types, but a text has no zeros, unless it is UTF-16 and says so.
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (officeType(head, file.name) !== undefined) return undefined;
  const isUtf16 = head[0] === 0xff ? head[1] === 0xfe : head[0] === 0xfe && head[1] === 0xff;
  return head.includes(0) && !isUtf16 ? { key: "fileUnreadable" } : undefined;
}

/** Returns why a file of this type, as the server found it, can't go into a message. */
export function reasonAgainstType(mimeType: string, accepts: Accepts): Reason | undefined {
  if (isAccepted(mimeType, accepts)) return undefined;
  const [kind = ""] = mimeType.split("/", 1);
  if (mimeType !== "application/octet-stream" && kind === "application") return undefined;
  return reasonFor(kind);
}

function reasonFor(kind: string): Reason {
  if (kind === "video") return { key: "noVideos" };
  if (kind === "audio") return { key: "noAudio" };
  return { key: kind === "image" ? "noSuchImages" : "fileUnreadable" };
}

function isAccepted(type: string, { fileTypes }: Accepts): boolean {
  const [bare = ""] = type.toLowerCase().split(";", 1);
  return fileTypes.some((accepted) =>
    accepted.endsWith("/*") ? bare.startsWith(accepted.slice(0, -1)) : bare === accepted,
  );
}
