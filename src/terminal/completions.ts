import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Completion } from "./prompt.ts";

const MOST_FILES = 50_000;
const MOST_FOUND = 50;
const FRESH_MS = 5_000;
const LEFT_OUT = new Set([".git", "node_modules"]);

/** Returns what the text at the cursor can become: a command at the beginning, or a file after an @. */
export function completionAt(
  text: string,
  cursor: number,
  commands: readonly { name: string; summary: string }[],
  files: () => readonly string[],
): Completion | undefined {
  const before = text.slice(0, cursor);
  if (/^\/[^\s/]*$/.test(before)) {
    const items = commands
      .filter(({ name }) => `/${name}`.startsWith(before))
      .map(({ name, summary }) => ({ text: `/${name}`, note: summary }));
    return { start: 0, end: cursor, items };
  }
  const mention = /(?:^|[\s("'])@([^\s@]*)$/.exec(before);
  if (!mention) return undefined;
  const wanted = mention[1] ?? "";
  const start = cursor - wanted.length - 1;
  const items = fuzzyFind(files(), wanted, MOST_FOUND).map((file) => ({ text: `@${file}` }));
  return { start, end: cursor, items };
}

/** Returns the files whose path has these letters in this order, best first. */
export function fuzzyFind(files: readonly string[], wanted: string, most: number): string[] {
  const letters = wanted.toLowerCase();
  const found: { file: string; score: number }[] = [];
  for (const file of files) {
    const score = scoreOf(file.toLowerCase(), letters);
    if (score !== undefined) found.push({ file, score });
  }
  found.sort((one, other) => other.score - one.score || one.file.length - other.file.length);
  return found.slice(0, most).map(({ file }) => file);
}

/** Higher is better: whole pieces, in the name more than in the folder, at the beginning of a word. */
function scoreOf(file: string, wanted: string): number | undefined {
  if (wanted === "") return -file.split("/").length;
  const name = file.lastIndexOf("/") + 1;
  const piece = file.lastIndexOf(wanted);
  if (piece !== -1) return 100 + (piece === name ? 50 : piece > name ? 20 : 0) - file.length / 1_000;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = file.indexOf(letter, at + 1);
    if (next === -1) return undefined;
    if (next === at + 1) score += 3;
    if (/[/_.\- ]/.test(file[next - 1] ?? "/")) score += 2;
    at = next;
  }
  return score;
}

/** The files of a folder that are not ignored. They are listed in the background and again after some seconds. */
export function fileLister(folder: string, onListed: () => void): () => readonly string[] {
  let files: string[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let listing = false;
  return () => {
    if (!listing && performance.now() - listedAt > FRESH_MS) {
      listing = true;
      void listFiles(folder).then((listed) => {
        const changed = listed.length !== files.length || listed.some((file, at) => file !== files[at]);
        files = listed;
        listedAt = performance.now();
        listing = false;
        if (changed) onListed();
      });
    }
    return files;
  };
}

/** Returns the files of a folder: what git knows or would add, and without git everything but the usual clutter. */
export async function listFiles(folder: string): Promise<string[]> {
  const { execFile } = await import("node:child_process");
  // A repository's settings must not make git start a program.
  const settings = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
  const args = [...settings, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, timeout: 5_000 };
    execFile("git", args, options, (error, output) => {
      const known = output.split("\0").filter((file) => file !== "");
      const listed = error ? walk(folder) : Promise.resolve(known);
      resolve(listed.then((files) => [...new Set(files)].slice(0, MOST_FILES)));
    });
  });
}

/** Reads one folder at a time, so that a person can type meanwhile: a whole home may lie below this one. */
async function walk(root: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [root];
  for (const folder of folders) {
    if (files.length >= MOST_FILES) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(unreadable)) {
      if (LEFT_OUT.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else files.push(relative(root, join(folder, entry.name)).replaceAll("\\", "/"));
    }
  }
  return files;
}

/** The folder may not be read, or it is gone. */
function unreadable(): Dirent[] {
  return [];
}
