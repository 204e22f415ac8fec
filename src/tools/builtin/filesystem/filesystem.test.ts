import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Failure } from "../../../protocol/failure.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { toolContext } from "../testing/context.ts";
import filesystem from "./index.ts";

const CANARY = "the canary outside";
let base: string;
let root: string;
let context: ToolContext;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "filesystem-")));
  root = join(base, "root");
  await mkdir(join(root, "src"), { recursive: true });
  await writeFile(join(base, "canary.txt"), CANARY);
  await writeFile(join(root, "notes.txt"), "one\ntwo\nthree\n");
  await writeFile(join(root, "src/main.ts"), 'const answer = "Two";\n');
  await writeFile(join(root, ".hidden"), "");
  context = toolContext({ roots: [root] });
});

afterEach(() => rm(base, { recursive: true }));

async function use(args: Record<string, unknown>, given = context) {
  const parsed = filesystem.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return filesystem.run(parsed.value, given);
}

const textOf = async (args: Record<string, unknown>) => (await use(args)).output;
const onDisk = (path: string) => readFile(join(root, path), "utf8");

describe("parameters", () => {
  test.each([
    [{ operation: "write", path: "a" }, "content"],
    [{ operation: "edit", path: "a", oldText: "x" }, "newText"],
    [{ operation: "move", path: "a" }, "destination"],
    [{ operation: "search" }, "query"],
    [{ operation: "explode" }, "operation"],
    [
      { operation: "edit", path: "a", oldText: "x", newText: "y", edits: [{ oldText: "a", newText: "b" }] },
      "edits",
    ],
    [{ operation: "edit", path: "a", edits: [{ oldText: "", newText: "x" }] }, "edits.0.oldText"],
  ])("%j is refused because of %s", (args, path) => {
    expect(filesystem.parse(args)).toMatchObject({ ok: false, issues: [{ path }] });
  });

  test("reading operations count as read, changing operations as write", () => {
    const effects = ["read", "list", "exists", "metadata", "search", "write", "edit", "move", "delete"].map(
      (operation) => filesystem.effectOf({ operation }),
    );
    expect(effects).toEqual(["read", "read", "read", "read", "read", "write", "write", "write", "write"]);
  });

  test("the tool is offered only if there is a folder to work in", () => {
    expect(filesystem.available({ roots: [], env: {} })).toBe(false);
    expect(filesystem.available({ roots: [root], env: {} })).toBe(true);
  });
});

describe("exists and metadata", () => {
  test("exists reports yes, no, or a link, and refuses paths outside of the roots", async () => {
    await symlink(join(base, "canary.txt"), join(root, "link"));
    expect(await textOf({ operation: "exists", path: "notes.txt" })).toBe('Yes, "notes.txt" exists: a file.');
    expect(await textOf({ operation: "exists", path: "gone/file" })).toBe('No, there is no "gone/file".');
    expect(await textOf({ operation: "exists", path: "notes.txt/x" })).toMatch(/^No/);
    expect(await textOf({ operation: "exists", path: "link" })).toContain("symbolic link");
    await expect(use({ operation: "exists", path: "../canary.txt" })).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  test("metadata returns type, size, time and permissions", async () => {
    const { data } = await use({ operation: "metadata", path: "notes.txt" });
    expect(data).toMatchObject({ type: "file", size: 14, permissions: expect.stringMatching(/^6\d\d$/) });
    expect(await textOf({ operation: "metadata", path: "." })).toContain("folder");
  });
});

describe("write, edit, move and delete", () => {
  test("write creates files and their folders, and replaces existing files", async () => {
    expect(await textOf({ operation: "write", path: "new/deep.txt", content: "grüße" })).toBe(
      'Wrote "new/deep.txt" (7 bytes, new file).',
    );
    expect(await onDisk("new/deep.txt")).toBe("grüße");
    expect(await textOf({ operation: "write", path: "new/deep.txt", content: "" })).toContain("replaced");
    expect(await onDisk("new/deep.txt")).toBe("");
  });

  test("move renames, and never replaces a file", async () => {
    await use({ operation: "move", path: "notes.txt", destination: "archive/old.txt" });
    expect(await onDisk("archive/old.txt")).toBe("one\ntwo\nthree\n");
    await expect(
      use({ operation: "move", path: "src/main.ts", destination: "archive/old.txt" }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
  });

  test("delete removes a folder that is not empty only if told to, and never the root", async () => {
    await expect(use({ operation: "delete", path: "src" })).rejects.toThrow("Set recursive");
    await use({ operation: "delete", path: "src", recursive: true });
    await use({ operation: "delete", path: "notes.txt" });
    expect(await readdir(root)).toEqual([".hidden"]);
    for (const path of [".", "x/..", root]) {
      await expect(use({ operation: "delete", path, recursive: true })).rejects.toMatchObject({
        code: "INVALID_INPUT",
      });
    }
  });
});

test("no operation reaches outside of the roots: not by path, link, hard link or pipe", async () => {
  await symlink(base, join(root, "up"));
  await link(join(base, "canary.txt"), join(root, "hard.txt"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const targets = [
    "../canary.txt",
    "up/canary.txt",
    join(base, "canary.txt"),
    "src/../../canary.txt",
    "hard.txt",
    "pipe",
  ];
  const operations = [
    { operation: "read" },
    { operation: "read", limit: 3 },
    { operation: "search", query: "canary" },
    { operation: "write", content: "changed" },
    { operation: "edit", oldText: "canary", newText: "changed" },
    { operation: "move", destination: "../stolen.txt" },
  ];
  for (const path of targets) {
    for (const args of operations) {
      const outcome = await use({ ...args, path }).catch((error: unknown) => error);
      if (outcome instanceof Failure) expect(outcome.publicMessage.replaceAll(path, "")).not.toContain(base);
      else expect(JSON.stringify(outcome)).not.toContain(CANARY);
    }
  }
  for (const path of targets.slice(0, 4)) {
    await expect(use({ operation: "delete", path })).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(
      use({ operation: "move", path: "notes.txt", destination: `${path}.new` }),
    ).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  }
  expect(await readFile(join(base, "canary.txt"), "utf8")).toBe(CANARY);
  expect((await readdir(base)).sort()).toEqual(["canary.txt", "root"]);
  expect(existsSync(join(root, "notes.txt"))).toBe(true);
});

describe("a secret that was hidden when the file was read", () => {
  const marked = "KEY=[secret hidden]\nPORT=81\n";

  test("is not overwritten: the placeholder is refused, and the file stays unchanged", async () => {
    await writeFile(join(root, ".env"), "KEY=abc\nPORT=80\n");
    for (const args of [
      { operation: "write", path: ".env", content: marked },
      { operation: "edit", path: ".env", oldText: "PORT=80", newText: marked },
    ])
      await expect(use(args)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await onDisk(".env")).toBe("KEY=abc\nPORT=80\n");
    await use({ operation: "edit", path: ".env", oldText: "PORT=80", newText: "PORT=81" });
    expect(await onDisk(".env")).toBe("KEY=abc\nPORT=81\n");
  });
});

describe("the preview", () => {
  const previewOf = (args: Record<string, unknown>) => filesystem.preview({ path: ".", ...args }, context);

  test("of an edit and of a write is a diff", async () => {
    const diff = "--- notes.txt\n+++ notes.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three";
    expect(await previewOf({ operation: "edit", path: "notes.txt", oldText: "two", newText: "2" })).toBe(
      diff,
    );
    expect(await previewOf({ operation: "write", path: "notes.txt", content: "one\n2\nthree\n" })).toBe(diff);
    expect(await previewOf({ operation: "write", path: "n.txt", content: "a\u001b[2J" })).toBe(
      'New file "n.txt":\n--- n.txt\n+++ n.txt\n@@ -0,0 +1,1 @@\n+a⟨U+001B⟩[2J\n\\ No newline at end of file',
    );
  });

  test("of a move or a deletion is a sentence, and reading has none", async () => {
    expect(await previewOf({ operation: "move", path: "notes.txt", destination: "b" })).toBe(
      'Move "notes.txt" to "b".',
    );
    expect(await previewOf({ operation: "delete", path: "notes.txt" })).toBe(
      'Delete the file "notes.txt" (14 bytes).',
    );
    expect(await previewOf({ operation: "delete", path: "src", recursive: true })).toContain("1 entry and");
    expect(await previewOf({ operation: "read", path: "notes.txt" })).toBeUndefined();
  });

  test.each([
    [{ operation: "edit", path: "../x", oldText: "a", newText: "b" }, "FORBIDDEN"],
    [{ operation: "edit", path: "notes.txt", oldText: "four", newText: "b" }, "INVALID_INPUT"],
    [{ operation: "edit", path: "notes.txt", oldText: "", newText: "b" }, "INVALID_INPUT"],
    [{ operation: "edit", path: "gone.txt", oldText: "a", newText: "b" }, "NOT_FOUND"],
    [{ operation: "move", path: "gone.txt", destination: "b" }, "NOT_FOUND"],
    [{ operation: "move", path: "notes.txt", destination: "src" }, "CONFLICT"],
    [{ operation: "delete", path: "src" }, "CONFLICT"],
    [{ operation: "write", path: "src", content: "x" }, "INVALID_INPUT"],
  ])("of %j fails with %s, so that nobody is asked", async (args, code) => {
    await expect(previewOf(args)).rejects.toMatchObject({ code });
  });
});
