import type { ByteRange } from "../protocol/files.ts";
import type { Spooled } from "./spool.ts";

/** Stores the bytes of files. The caller has checked the ids. */
export interface ByteStore {
  /** Stores a complete file and removes it from its path, even if it throws. */
  keep(id: string, spooled: Spooled, signal?: AbortSignal): Promise<void>;
  /** Throws NOT_FOUND if there is none. */
  open(id: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Does nothing if there is none. */
  remove(id: string): Promise<void>;
}
