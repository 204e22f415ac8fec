import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ByteStore } from "./byte-store.ts";
import { diskStore } from "./disk.ts";
import { s3Store } from "./s3.ts";
import { spool } from "./spool.ts";
import { missingObjectStorage, type ObjectStorage, startObjectStorage } from "./testing/object-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-bytes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* inChunks(bytes: Uint8Array, size = 70_001) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function spooled(bytes: Uint8Array) {
  return spool(inChunks(bytes), { directory: folder, maxBytes: 50_000_000 });
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The behavior of every byte store. */
function behavior(store: () => ByteStore): void {
  test("bytes are read back unchanged, whole and in part", async () => {
    const bytes = randomBytes(3_000_000);
    const file = await spooled(bytes);
    await store().keep("file_whole", file);
    expect(existsSync(file.path)).toBe(false);
    expect((await readAll(await store().open("file_whole"))).equals(bytes)).toBe(true);
    const part = await readAll(await store().open("file_whole", { start: 1_000_000, end: 1_000_099 }));
    expect(part.equals(bytes.subarray(1_000_000, 1_000_100))).toBe(true);
  });

  test("a missing file is NOT_FOUND, and removing it succeeds", async () => {
    await expect(store().open("file_never")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await store().remove("file_never");
  });

  test("a removed file is gone", async () => {
    await store().keep("file_gone", await spooled(randomBytes(1_000)));
    await store().remove("file_gone");
    await expect(store().open("file_gone")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a reader that leaves in the middle affects no other reader", async () => {
    const bytes = randomBytes(5_000_000);
    await store().keep("file_left", await spooled(bytes));
    for await (const _ of await store().open("file_left")) break;
    expect((await readAll(await store().open("file_left"))).equals(bytes)).toBe(true);
  });

  test("many concurrent files do not affect each other", async () => {
    const all = Array.from({ length: 12 }, (_, index) => ({
      id: `file_${index}`,
      bytes: randomBytes(200_000),
    }));
    await Promise.all(all.map(async ({ id, bytes }) => store().keep(id, await spooled(bytes))));
    const read = await Promise.all(all.map(async ({ id }) => readAll(await store().open(id))));
    for (const [index, { bytes }] of all.entries()) expect(read[index]?.equals(bytes)).toBe(true);
  });
}

describe("files on disk", () => {
  behavior(() => diskStore(folder));
});

const missing = missingObjectStorage();
if (missing && !process.env.CI) console.log(`Object storage is not tested: ${missing}.`);

describe.skipIf(missing !== undefined && !process.env.CI)("files in a Ceph bucket", () => {
  let storage: ObjectStorage;
  beforeAll(async () => {
    storage = await startObjectStorage();
  });
  afterAll(() => storage?.stop());

  behavior(() => s3Store(storage.options));

  test("a wrong key is refused at once, with a message that shows no key", async () => {
    const store = s3Store({ ...storage.options, secretAccessKey: "not-the-secret" });
    const before = readdirSync(folder);
    const refused = store.keep("file_forged", await spooled(randomBytes(100)));
    await expect(refused).rejects.toMatchObject({ code: "UPSTREAM_ERROR", retryable: false });
    await expect(refused).rejects.toThrow(/S3 settings/);
    await expect(refused).rejects.not.toThrow(/not-the-secret|TACKLETESTKEY/);
    expect(readdirSync(folder)).toEqual(before);
    await expect(s3Store(storage.options).open("file_forged")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("the storage refuses bytes that do not match their signature", async () => {
    const file = await spooled(randomBytes(1_000));
    const forged = { ...file, sha256: "0".repeat(64) };
    await expect(s3Store(storage.options).keep("file_changed", forged)).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
    });
  });

  test("a missing bucket is an upstream error", async () => {
    const store = s3Store({ ...storage.options, bucket: "no-such-bucket" });
    await expect(store.keep("file_lost", await spooled(randomBytes(100)))).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
    });
  });
});
