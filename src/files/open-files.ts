import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "../protocol/files.ts";
import type { Store } from "../protocol/store.ts";
import { diskStore } from "./disk.ts";
import { createFiles, type FilesParts } from "./files.ts";
import { readKeyRing } from "./key-ring.ts";
import { type S3Options, s3Store } from "./s3.ts";
import { createSigner } from "./signature.ts";

export interface OpenFilesOptions {
  store: Store;
  dataDir: string;
  /** Object storage; without it, the disk. */
  s3: S3Options | undefined;
  maxBytes: number;
  quotaBytes: number;
  /** Signs URLs. */
  key: Uint8Array;
  count?: FilesParts["count"];
  onProblem(thrown: unknown): void;
}

/** Opens the files of this server, and removes incomplete ones of an earlier process. */
export function openFiles(options: OpenFilesOptions): Files {
  const { store, dataDir, s3, maxBytes, quotaBytes, key, count, onProblem } = options;
  const directory = join(dataDir, "files");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(directory)) if (name.endsWith(".part")) rmSync(join(directory, name));
  const keys = readKeyRing(join(dataDir, "file-keys.json"), key, Date.now());
  const files = createFiles({
    store,
    bytes: s3 ? s3Store(s3) : diskStore(directory),
    signer: createSigner({ keys, now: Date.now }),
    spoolDirectory: directory,
    maxBytes,
    quotaBytes,
    count,
    onProblem,
  });
  void files.tidy();
  return files;
}
