import type { ByteRange } from "../protocol/files.ts";
import type { Spooled } from "./spool.ts";

/** Where the bytes of files lie. Ids were checked before they come here. */
export interface ByteStore {
  /** Takes over a complete file; what was at its path is gone afterwards, also when it throws. */
  keep(id: string, spooled: Spooled, signal?: AbortSignal): Promise<void>;
  /** Throws NOT_FOUND where there is none. */
  open(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing where there is none. */
  remove(id: string): Promise<void>;
}
