import { createHash } from "node:crypto";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ToolContext } from "../../../protocol/tool.ts";
import { toolContext } from "../testing/context.ts";
import { memoryUndoJournal } from "../testing/undo-journal.ts";
import filesystem from "./index.ts";

let root: string;
let journal: ReturnType<typeof memoryUndoJournal>;
let context: ToolContext;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "undo-"));
  await mkdir(join(root, "folder/deep"), { recursive: true });
  await writeFile(join(root, "notes.txt"), "before");
  await chmod(join(root, "notes.txt"), 0o600);
  await writeFile(join(root, "folder/deep/file.bin"), Buffer.from([0, 255, 1]));
  await symlink("deep/file.bin", join(root, "folder/link"));
  await chmod(join(root, "folder/deep"), 0o500);
  journal = memoryUndoJournal();
  context = toolContext({ roots: [root], undo: journal });
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function use(args: Record<string, unknown>) {
  const parsed = filesystem.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return filesystem.run(parsed.value, context);
}

async function undoAll(): Promise<string[]> {
  const said: string[] = [];
  for (const entry of journal.entries.toReversed())
    said.push((await filesystem.undo?.(entry, context)) ?? "");
  return said;
}

/** Everything below the root: types, permissions, contents. */
async function snapshot(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${path} -> ${await readlink(path)}`;
    const mode = ((await stat(path)).mode & 0o777).toString(8);
    if (entry.isDirectory()) return `${path}/ ${mode}`;
    return `${path} ${mode} ${createHash("sha256")
      .update(await readFile(path))
      .digest("hex")}`;
  });
  return (await Promise.all(lines)).sort();
}

const CHANGES: [string, Record<string, unknown>][] = [
  ["a new file", { operation: "write", path: "new/deep/er.txt", content: "new" }],
  ["a replaced file", { operation: "write", path: "notes.txt", content: "after" }],
  ["an edit", { operation: "edit", path: "notes.txt", oldText: "be", newText: "there" }],
  ["a moved file", { operation: "move", path: "notes.txt", destination: "other/place.txt" }],
  ["a moved folder", { operation: "move", path: "folder", destination: "other" }],
  ["a deleted file", { operation: "delete", path: "notes.txt" }],
  ["a deleted folder", { operation: "delete", path: "folder", recursive: true }],
  ["a deleted link", { operation: "delete", path: "folder/link" }],
];

test.each(CHANGES)("%s is undone completely, and undoing twice does no harm", async (_, args) => {
  const before = await snapshot();
  await use(args);
  expect(await snapshot()).not.toEqual(before);
  expect(journal.entries).toMatchObject([
    { reversible: true, summary: expect.stringContaining(String(args.operation)) },
  ]);
  await undoAll();
  expect(await snapshot()).toEqual(before);
  await undoAll();
  expect(await snapshot()).toEqual(before);
});

test.each(CHANGES)("%s that was recorded but never made is not undone", async (_, args) => {
  const before = await snapshot();
  const record = journal.record;
  journal.record = async (entry) => {
    await record(entry);
    throw new Error("the power went out");
  };
  await expect(use(args)).rejects.toThrow();
  expect(journal.entries).toHaveLength(1);
  expect(await snapshot()).toEqual(before);
  await undoAll();
  expect(await snapshot()).toEqual(before);
});

test("many changes are undone from the newest to the oldest", async () => {
  const before = await snapshot();
  for (const index of [0, 1, 3]) await use(CHANGES[index]?.[1] ?? {});
  await use({ operation: "write", path: "notes.txt", content: "another" });
  await undoAll();
  expect(await snapshot()).toEqual(before);
});

test("a deletion that stopped halfway is undone completely", async () => {
  const before = await snapshot();
  await use({ operation: "delete", path: "folder", recursive: true });
  await mkdir(join(root, "folder"));
  await symlink("deep/file.bin", join(root, "folder/link"));
  await undoAll();
  expect(await snapshot()).toEqual(before);
});

test("a file that someone else changed in the meantime is left alone", async () => {
  await use({ operation: "write", path: "notes.txt", content: "after" });
  await writeFile(join(root, "notes.txt"), "somebody else's");
  await expect(undoAll()).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await readFile(join(root, "notes.txt"), "utf8")).toBe("somebody else's");
});

test("a folder created for a new file stays if it contains something else by now", async () => {
  await use({ operation: "write", path: "new/one.txt", content: "1" });
  await writeFile(join(root, "new/two.txt"), "2");
  await undoAll();
  expect(await readdir(join(root, "new"))).toEqual(["two.txt"]);
});

test("a file that is too large to keep, or has several names, is deleted with a note that it cannot be undone", async () => {
  await writeFile(join(root, "large.bin"), Buffer.alloc(10_485_761));
  expect((await use({ operation: "delete", path: "large.bin" })).output).toContain("cannot be undone");
  await link(join(root, "notes.txt"), join(root, "second-name.txt"));
  await use({ operation: "delete", path: "second-name.txt" });
  expect(journal.entries).toMatchObject([{ reversible: false }, { reversible: false }]);
  const [entry] = journal.entries;
  await expect(entry && filesystem.undo?.(entry, context)).rejects.toMatchObject({ code: "CONFLICT" });
});

test("a refused change leaves no record", async () => {
  const refused = [
    { operation: "write", path: "folder", content: "x" },
    { operation: "write", path: "folder/link", content: "x" },
    { operation: "edit", path: "notes.txt", oldText: "absent", newText: "x" },
    { operation: "move", path: "notes.txt", destination: "folder/link" },
    { operation: "delete", path: "folder" },
    { operation: "delete", path: "." },
  ];
  for (const args of refused) await expect(use(args)).rejects.toThrow();
  expect(journal.entries).toEqual([]);
});

test("a root that the caller may no longer use is not touched", async () => {
  await use({ operation: "write", path: "notes.txt", content: "after" });
  context = toolContext({ roots: [join(root, "folder")], undo: journal });
  await expect(undoAll()).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await readFile(join(root, "notes.txt"), "utf8")).toBe("after");
});

test("without a journal, changes are made and not recorded", async () => {
  context = toolContext({ roots: [root] });
  await use({ operation: "write", path: "notes.txt", content: "after" });
  expect((await use({ operation: "delete", path: "folder", recursive: true })).output).toBe(
    'Deleted the folder "folder".',
  );
});
