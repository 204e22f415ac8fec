import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../protocol/failure.ts";
import type { ByteStore } from "./byte-store.ts";
import { diskFailure } from "./spool.ts";

/** Stores files in a folder, each under its id. */
export function diskStore(directory: string): ByteStore {
  return {
    async keep(id, { path }) {
      try {
        await rename(path, join(directory, id));
        await syncDirectory(directory);
      } catch (thrown) {
        await rm(path, { force: true });
        throw diskFailure(thrown);
      }
    },
    async open(id, range) {
      const handle = await open(join(directory, id), "r").catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "ENOENT") throw cause;
        throw new Failure("NOT_FOUND", "This file no longer exists.", { cause });
      });
      // It closes the file at the end and when the reader stops.
      return handle.createReadStream(range);
    },
    remove: (id) => rm(join(directory, id), { force: true }),
  };
}

/** A new name survives a power cut only after its folder was synced too. Windows syncs no folders: it refuses to. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
