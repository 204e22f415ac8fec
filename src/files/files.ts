import { createHash, randomBytes } from "node:crypto";
import { byteSize } from "../protocol/byte-size.ts";
import { Failure } from "../protocol/failure.ts";
import { FILE_ID, type FileFacts, type Files, lengthOf, type StoredFile } from "../protocol/files.ts";
import type { Store } from "../protocol/store.ts";
import type { ByteStore } from "./byte-store.ts";
import type { Signer } from "./signature.ts";
import { type Spooled, spool, tooLarge } from "./spool.ts";

export interface FilesParts {
  store: Store;
  bytes: ByteStore;
  signer: Signer;
  /** Where files are written until they are complete. */
  spoolDirectory: string;
  maxBytes: number;
  quotaBytes: number;
  /** Counts the pages or rows of a document on disk. Returns nothing if it can't; never rejects. */
  count?(file: { path: string; mimeType: string }, signal: AbortSignal): Promise<Counted>;
  onProblem(thrown: unknown): void;
}

type Counted = Pick<StoredFile, "pageCount" | "rowCount">;

/** Longer than any upload takes. After that, its bytes are a leftover. */
const UPLOAD_MS = 60 * 60_000;
/** How long temporary bytes are kept. */
const TEMPORARY_MS = 30 * 24 * 60 * 60_000;
const TIDY_BATCH = 100;
const LIST_LIMIT = 1_000;
/** Anybody can become a guest, and again. */
const GUEST_QUOTA_BYTES = 50 * 1024 * 1024;
const NAME_CHARACTERS = 200;
const NEVER = new AbortController().signal;

/** Creates the files of the server. It enforces quotas, and stores and removes rows and bytes together. */
export function createFiles(parts: FilesParts): Files {
  const { store, bytes, signer, spoolDirectory, maxBytes, quotaBytes } = parts;
  let passes: Promise<void> = Promise.resolve();
  const quotaOf = (userId: string) =>
    userId.startsWith("guest_") ? Math.min(quotaBytes, GUEST_QUOTA_BYTES) : quotaBytes;

  async function keep(
    spooled: Spooled & Counted,
    { userId, sessionId, name, signal }: FileFacts,
  ): Promise<StoredFile> {
    const id = newId();
    const { mimeType } = spooled;
    await store.expectFile(id, UPLOAD_MS);
    try {
      await bytes.keep(id, spooled, signal);
      const named = { id, userId, name: cleanName(name, mimeType), mimeType, ...lengthOf(spooled) };
      const added = await store.addFile(
        sessionId === undefined ? named : { ...named, sessionId },
        quotaOf(userId),
      );
      if (!added) throw overQuota(quotaOf(userId));
      return added;
    } catch (thrown) {
      // Its bytes can be removed now. The caller does not wait for that, because it may fail slowly too.
      await store.expectFile(id, 0).catch(parts.onProblem);
      void tidy();
      throw thrown;
    }
  }

  async function removeLeftovers(): Promise<void> {
    for (;;) {
      const ids = await store.listFileLeftovers(TIDY_BATCH);
      for (const id of ids) {
        await bytes.remove(id);
        await store.forgetFileLeftover(id);
      }
      if (ids.length < TIDY_BATCH) return;
    }
  }

  /** Runs one pass after the other, so that each sees everything that was there when it was requested. Never rejects. */
  function tidy(): Promise<void> {
    passes = passes.then(removeLeftovers).catch(parts.onProblem);
    return passes;
  }

  async function get(id: string): Promise<StoredFile | undefined> {
    return FILE_ID.test(id) ? store.getFile(id) : undefined;
  }

  return {
    maxBytes,
    quotaBytes,
    async put(source, facts) {
      const quota = quotaOf(facts.userId);
      if ((await store.usedFileBytes(facts.userId)) >= quota) throw overQuota(quota);
      const { declaredType, name, counted, signal } = facts;
      const spooled = await spool(source, {
        directory: spoolDirectory,
        maxBytes,
        declaredType,
        name,
        ...(counted ? { counted } : {}),
        signal,
      });
      const found = counted ? await parts.count?.(spooled, signal ?? NEVER) : undefined;
      return keep({ ...spooled, ...found }, facts);
    },
    async keepTemporarily(userId, content) {
      const name = createHash("sha256").update(`${userId}\n`).update(content).digest("base64url");
      const id = `file_${name.slice(0, 22)}`;
      await store.expectFile(id, TEMPORARY_MS);
      await bytes.keep(id, await spool(only(content), { directory: spoolDirectory, maxBytes }));
      return id;
    },
    async readTemporary(id) {
      if (!FILE_ID.test(id)) return undefined;
      try {
        const chunks: Uint8Array[] = [];
        for await (const chunk of await bytes.open(id)) chunks.push(chunk);
        return Buffer.concat(chunks);
      } catch (thrown) {
        if (thrown instanceof Failure && thrown.code === "NOT_FOUND") return undefined;
        throw thrown;
      }
    },
    get,
    async own(userId, id) {
      const file = await get(id);
      if (!file) throw new Failure("NOT_FOUND", "There is no such file.");
      if (file.userId !== userId) throw new Failure("FORBIDDEN", "This file belongs to somebody else.");
      return file;
    },
    open: (file, range) => bytes.open(file.id, range),
    async read(file) {
      if (file.size > maxBytes) throw tooLarge(maxBytes);
      return collect(await bytes.open(file.id), file.size);
    },
    async remove(id) {
      await store.removeFile(id);
      void tidy();
    },
    list: (userId) => store.listFiles({ userId }, LIST_LIMIT),
    usedBytes: (userId) => store.usedFileBytes(userId),
    signedUrl: signer.url,
    checkSignature: signer.check,
    async check() {
      const probe = newId();
      await store.expectFile(probe, UPLOAD_MS);
      await bytes.keep(
        probe,
        await spool(only(Buffer.from("probe")), { directory: spoolDirectory, maxBytes }),
      );
      await bytes.remove(probe);
      await store.forgetFileLeftover(probe);
    },
    tidy,
  };
}

function newId(): string {
  return `file_${randomBytes(16).toString("base64url")}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/svg+xml": "svg",
  "application/pdf": "pdf",
  "text/html": "html",
};

/** Removes folders from a name, and characters that could break a header. */
function cleanName(name: string | undefined, mimeType: string): string {
  const last = (name ?? "").toWellFormed().split(/[\\/]/).at(-1) ?? "";
  const clean = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]/gu, "")
    .replace(/^\.+/, "")
    .trim();
  const fallback = `file.${EXTENSIONS[mimeType] ?? (mimeType.startsWith("text/") ? "txt" : "bin")}`;
  return [...clean].slice(0, NAME_CHARACTERS).join("") || fallback;
}

function overQuota(quotaBytes: number): Failure {
  return new Failure(
    "STORAGE_FULL",
    `Your files already use your ${byteSize(quotaBytes)}. Delete some, then try again.`,
  );
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Reads a file of known size. Each piece is copied when it arrives, so that the end of a large file does not block the event loop. */
async function collect(source: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for await (const chunk of source) {
    bytes.set(chunk.subarray(0, size - at), at);
    at += chunk.length;
  }
  return bytes.subarray(0, Math.min(at, size));
}
