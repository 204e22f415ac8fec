import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { move, remove, replaceFile } from "../src/contain/paths-change.ts";
import { diskStore } from "../src/files/disk.ts";
import { writeArchive } from "../src/store/backup/archive.ts";
import { temporaryFolder } from "./support/server.ts";

let folder: ReturnType<typeof temporaryFolder>;

/** Windows opens folders, but refuses to sync them. */
beforeEach(async () => {
  folder = temporaryFolder();
  vi.spyOn(process, "platform", "get").mockReturnValue("win32");
  const handle = await open(folder.path, "r");
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  const { sync } = prototype;
  vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error("EPERM: fsync"), { code: "EPERM" });
    await sync.call(this);
  });
  await handle.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  folder.remove();
});

it("stores uploads, changes files and writes backups where folders cannot be synced", async () => {
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("upload"), "uploaded");
  await diskStore(folder.path).keep("file_1", { path: at("upload"), size: 8 } as never);
  expect(readFileSync(at("file_1"), "utf8")).toBe("uploaded");

  await replaceFile([folder.path], "a.txt", Buffer.from("written"));
  await move([folder.path], "a.txt", "b.txt");
  expect(readFileSync(at("b.txt"), "utf8")).toBe("written");
  await remove([folder.path], "b.txt");
  expect(existsSync(at("b.txt"))).toBe(false);

  await writeArchive(at("archive"), (async function* () {})(), {} as never);
  expect(existsSync(at("archive"))).toBe(true);
});
