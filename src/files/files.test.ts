import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { FILE_ID, type Files } from "../protocol/files.ts";
import type { Store } from "../protocol/store.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { writeEmptyDatabase } from "../store/testing/empty.ts";
import { diskStore } from "./disk.ts";
import { createFiles } from "./files.ts";
import { readKeyRing } from "./key-ring.ts";
import { openFiles } from "./open-files.ts";
import { createSigner } from "./signature.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(500)]);
const DAY = 24 * 60 * 60_000;

let folder: string;
let store: Store;
let problems: unknown[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tackle-files-"));
  await writeEmptyDatabase(join(folder, "tackle.db"));
  store = await openSqliteStore({ dataDir: folder });
  problems = [];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(changes: { maxBytes?: number; quotaBytes?: number; key?: Uint8Array } = {}): Files {
  return openFiles({
    store,
    dataDir: folder,
    s3: undefined,
    maxBytes: 10_000,
    quotaBytes: 25_000,
    key: Buffer.alloc(32, 1),
    onProblem: (thrown) => problems.push(thrown),
    ...changes,
  });
}

async function* source(...chunks: (Uint8Array | string)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Names of the files on disk. */
const onDisk = () => readdirSync(join(folder, "files"));

async function read(files: Files, id: string): Promise<Buffer> {
  const file = await files.get(id);
  if (!file) throw new Error("no such file");
  return Buffer.from(await files.read(file));
}

describe("a file", () => {
  test("gets the type that its bytes show, whatever the sender claims, and is readable only by its owner", async () => {
    const files = open();
    const file = await files.put(source(PNG.subarray(0, 5), PNG.subarray(5)), {
      userId: "ada",
      name: '../../etc/C:\\évil\u202e\r\n".html',
      declaredType: "text/html",
    });
    expect(file).toMatchObject({ userId: "ada", mimeType: "image/png", size: PNG.length, name: "évil.html" });
    expect(file.id).toMatch(FILE_ID);
    expect((await read(files, file.id)).equals(PNG)).toBe(true);
    expect(onDisk()).toEqual([file.id]);
    expect(statSync(join(folder, "files", file.id)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "files")).mode & 0o777).toBe(0o700);
  });

  test.each<[string, (string | Uint8Array)[], string]>([
    ["text/plain", ["Gr\u00fc\u00df", "e"], "notes"],
    ["application/octet-stream", [Buffer.from([0x68, 0x69, 0xff, 0xfe])], "not UTF-8"],
    ["application/octet-stream", ["text with a \0 in it"], "a zero byte"],
    ["application/octet-stream", [Buffer.from([0xe2, 0x82])], "half a character at its end"],
    ["text/plain", [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], "a character in two chunks"],
    ["image/svg+xml", ["<svg onload='alert(1)'/>"], "a drawing with a script"],
    ["text/plain; charset=windows-1252", [Buffer.from("Stühle", "latin1")], "text as spreadsheets save it"],
    ["text/html; charset=utf-16le", [Buffer.from("\ufeff<html>", "utf16le")], "a page in UTF-16"],
  ])("is %s: %j (%s)", async (mimeType, chunks) => {
    const file = await open().put(source(...chunks), { userId: "ada" });
    expect(file.mimeType).toBe(mimeType);
  });

  test("that is too large, empty or incomplete leaves nothing behind", async () => {
    const files = open();
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1_000);
    };
    await expect(files.put(endless(), { userId: "ada" })).rejects.toMatchObject({ code: "TOO_LARGE" });
    await expect(files.put(source(), { userId: "ada" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const broken = async function* () {
      yield PNG;
      throw new Failure("INVALID_INPUT", "The upload ended before it was complete.");
    };
    await expect(files.put(broken(), { userId: "ada" })).rejects.toThrow(/before it was complete/);
    const gone = files.put(source(PNG), { userId: "ada", signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ name: "AbortError" });
    expect(onDisk()).toEqual([]);
    expect(await files.usedBytes("ada")).toBe(0);
    expect(problems).toEqual([]);
  });

  test("over the quota is refused and not stored, even for concurrent uploads", async () => {
    const files = open();
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, () => files.put(source(Buffer.alloc(9_000, "x")), { userId: "ada" })),
    );
    const kept = all.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
    expect(kept).toHaveLength(2);
    for (const one of all)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "STORAGE_FULL", status: 507 });
    await files.tidy();
    expect(onDisk().sort()).toEqual(kept.sort());
    await files.remove(kept[0] ?? "");
    await files.put(source(Buffer.alloc(9_000, "y")), { userId: "ada" });
    await files.put(source(Buffer.alloc(9_000, "y")), { userId: "bob" });
  });

  test("of another user is forbidden, and an unknown or invalid id is not found", async () => {
    const files = open();
    const { id } = await files.put(source(PNG), { userId: "ada" });
    expect(await files.own("ada", id)).toMatchObject({ id });
    await expect(files.own("bob", id)).rejects.toMatchObject({ code: "FORBIDDEN" });
    for (const wrong of [
      "file_AAAAAAAAAAAAAAAAAAAAAA",
      "../tackle.db",
      "file_../../secret.key",
      "",
      "%2e%2e",
    ])
      await expect(files.own("ada", wrong)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("is deleted with its session and its user, including the bytes", async () => {
    const files = open();
    await store.createSession({ id: "ses_1", userId: "ada", title: "One" });
    const made = await files.put(source(PNG), { userId: "ada", sessionId: "ses_1" });
    const upload = await files.put(source(PNG), { userId: "ada" });
    const bobs = await files.put(source(PNG), { userId: "bob" });
    await store.deleteSession("ses_1");
    await files.tidy();
    expect(onDisk().sort()).toEqual([upload.id, bobs.id].sort());
    await expect(files.open(made)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await store.deleteUser("ada");
    await files.tidy();
    expect(onDisk()).toEqual([bobs.id]);
  });

  test("left half-written by a crash is removed after the next start", async () => {
    open();
    writeFileSync(join(folder, "files", "abcdef.part"), "half");
    writeFileSync(join(folder, "files", "file_AAAAAAAAAAAAAAAAAAAAAA"), "bytes without a row");
    await store.expectFile("file_AAAAAAAAAAAAAAAAAAAAAA", 0);
    const files = open();
    await files.tidy();
    expect(onDisk()).toEqual([]);
  });

  test("storage can be checked without leaving a trace", async () => {
    const files = open();
    await files.check();
    expect(onDisk()).toEqual([]);
    expect(await store.listFileLeftovers(9)).toEqual([]);
    rmSync(join(folder, "files"), { recursive: true });
    writeFileSync(join(folder, "files"), "not a folder");
    await expect(files.check()).rejects.toThrow();
  });

  test("whose bytes cannot be removed is removed later", async () => {
    let broken = true;
    const disk = diskStore(join(folder, "files"));
    open();
    const files = createFiles({
      store,
      bytes: { ...disk, remove: async (id) => (broken ? Promise.reject(new Error("no")) : disk.remove(id)) },
      signer: createSigner({ keys: [Buffer.alloc(32)], now: Date.now }),
      spoolDirectory: join(folder, "files"),
      maxBytes: 10_000,
      quotaBytes: 10_000,
      onProblem: (thrown) => problems.push(thrown),
    });
    const { id } = await files.put(source(PNG), { userId: "ada" });
    await files.remove(id);
    await files.tidy();
    expect(problems.length).toBeGreaterThan(0);
    expect(onDisk()).toEqual([id]);
    broken = false;
    await files.tidy();
    expect(onDisk()).toEqual([]);
  });
});

describe("a signed URL", () => {
  const id = "file_AAAAAAAAAAAAAAAAAAAAAA";
  const key = Buffer.alloc(32, 7);
  const at = Date.UTC(2026, 2, 3);
  const signerAt = (now: number, keys: Uint8Array[] = [key]) => createSigner({ keys, now: () => now });
  const partsOf = (url: string) => {
    const { searchParams } = new URL(url, "http://x");
    return [searchParams.get("exp") ?? "", searchParams.get("sig") ?? ""] as const;
  };

  test("is valid for seven days, and not a second longer", () => {
    const [expires, signature] = partsOf(signerAt(at).url(id));
    expect(signerAt(at).check(id, expires, signature)).toBe(7 * 24 * 60 * 60);
    expect(signerAt(at + 7 * DAY - 1_000).check(id, expires, signature)).toBe(1);
    expect(() => signerAt(at + 7 * DAY).check(id, expires, signature)).toThrow(/expired/);
  });

  test("is refused if any part of it changed", () => {
    const [expires, signature] = partsOf(signerAt(at).url(id));
    const other = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`;
    const forged: [string, string, string][] = [
      [id.replace("A", "B"), expires, signature],
      [id, String(Number(expires) + 1), signature],
      [id, `0${expires}`, signature],
      [id, `${expires} `, signature],
      [id, "9".repeat(400), signature],
      [id, "NaN", signature],
      [id, expires, other],
      [id, expires, signature.slice(0, -1)],
      [id, expires, `${signature}A`],
      [id, expires, `${signature}=`],
      [id, expires, ""],
      [id, "", ""],
      ["", expires, signature],
      [`${id} until 1`, expires, signature],
    ];
    for (const parts of forged) expect(() => signerAt(at).check(...parts), parts.join(" ")).toThrow(Failure);
  });

  test("is refused with another key, and accepted with an earlier one", () => {
    const [expires, signature] = partsOf(signerAt(at).url(id));
    const fresh = Buffer.alloc(32, 8);
    expect(() => signerAt(at, [fresh]).check(id, expires, signature)).toThrow(Failure);
    expect(signerAt(at, [fresh, key]).check(id, expires, signature)).toBeGreaterThan(0);
  });

  test("stays valid until its end when the server's secret changes", () => {
    const path = join(folder, "file-keys.json");
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    expect(readKeyRing(path, first, at)).toEqual([first]);
    expect(readKeyRing(path, second, at + DAY)).toEqual([second, first]);
    expect(readKeyRing(path, second, at + 8 * DAY - 1)).toEqual([second, first]);
    expect(readKeyRing(path, second, at + 8 * DAY)).toEqual([second]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).not.toContain(first.toString("base64url"));
    writeFileSync(path, "{ broken");
    expect(readKeyRing(path, first, at)).toEqual([first]);
  });

  test("still works after a restart with another key", async () => {
    const before = open({ key: Buffer.alloc(32, 1) });
    const { id: fileId } = await before.put(source(PNG), { userId: "ada" });
    const [expires, signature] = partsOf(before.signedUrl(fileId));
    const after = open({ key: Buffer.alloc(32, 2) });
    expect(after.checkSignature(fileId, expires, signature)).toBeGreaterThan(0);
    expect(partsOf(after.signedUrl(fileId))[1]).not.toBe(signature);
  });
});
