import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  path: string;
  remove(): void;
}

let possible: boolean | undefined;

/** Returns why a small disk is not available here, if so. */
export function missingSmallDisk(): string | undefined {
  if (possible === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "tackle-disk-"));
    possible = mount(folder, 1);
    spawnSync("umount", [folder]);
    rmSync(folder, { recursive: true, force: true });
  }
  return possible ? undefined : "mounting a small disk is not allowed here";
}

/** Mounts an in-memory disk of this size, owned by `user` if given. */
export function startSmallDisk(megabytes: number, user?: string): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "tackle-disk-"));
  spawnSync("chmod", ["755", folder]);
  const path = join(folder, "disk");
  mountSmallDisk(path, megabytes);
  if (user) spawnSync("chown", [user, path]);
  return {
    path,
    remove() {
      unmountSmallDisk(path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Mounts a small disk at a path. */
export function mountSmallDisk(path: string, megabytes: number): void {
  mkdirSync(path, { recursive: true });
  if (!mount(path, megabytes)) throw new Error("mounting a small disk is not allowed here");
}

export function unmountSmallDisk(path: string): void {
  spawnSync("umount", ["-l", path]);
}

function mount(path: string, megabytes: number): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]).status === 0;
}

/** Fills the disk and returns a function that frees the space again. */
export function fill(folder: string): () => void {
  const path = join(folder, "filler");
  const file = openSync(path, "w");
  try {
    for (let size = 65_536; size >= 512; size /= 2) {
      const block = Buffer.alloc(size);
      for (let fits = true; fits; ) fits = write(file, block);
    }
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

function write(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) === block.length;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw thrown;
  }
}
