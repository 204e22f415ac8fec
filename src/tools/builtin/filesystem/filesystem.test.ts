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
    [{ operation: "edit", path: "a", oldText: "", newText: "x" }, "oldText"],
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

describe("read", () => {
  test("returns the text unchanged, labeled as untrusted", async () => {
    const { output, trust } = await use({ operation: "read", path: "notes.txt" });
    expect(output).toBe("one\ntwo\nthree\n");
    expect(trust ?? filesystem.trust).toBe("untrusted");
  });

  test("returns a range of lines, and where to continue", async () => {
    expect(await textOf({ operation: "read", path: "notes.txt", offset: 2, limit: 1 })).toBe(
      "two\n[Lines 2 to 2. There is more: go on with offset 3.]",
    );
    expect(await textOf({ operation: "read", path: "notes.txt", offset: 3 })).toBe(
      "three\n[Lines 3 to 3. This is the end of the file.]",
    );
    expect(await textOf({ operation: "read", path: "notes.txt", offset: 9 })).toContain(
      "the file has 3 lines",
    );
  });

  test("a file of exactly one megabyte is read whole, a larger one only in parts", async () => {
    await writeFile(join(root, "fits.txt"), "a".repeat(1_048_576));
    expect(await textOf({ operation: "read", path: "fits.txt" })).toHaveLength(1_048_576);
    await writeFile(join(root, "large.txt"), "grüße line\n".repeat(200_000));
    await expect(use({ operation: "read", path: "large.txt" })).rejects.toMatchObject({
      code: "TOO_LARGE",
      publicMessage: expect.stringMatching(/2\.5 MB.*1\.0 MB.*offset and limit/),
    });
    expect(await textOf({ operation: "read", path: "large.txt", offset: 150_000, limit: 2 })).toBe(
      "grüße line\ngrüße line\n[Lines 150000 to 150001. There is more: go on with offset 150002.]",
    );
  });

  test("a line longer than a megabyte is cut between characters", async () => {
    await writeFile(join(root, "line.txt"), `x${"ü".repeat(1_000_000)}`);
    const { data, output } = await use({ operation: "read", path: "line.txt", limit: 1 });
    expect(output).toContain("too long and was cut");
    const { content } = data as { content: string };
    expect(content).toMatch(/^xü+$/);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(1_048_576);
    expect(content.length).toBeGreaterThan(500_000);
  });

  test.each([
    ["bytes that are not UTF-8", Buffer.from([0x66, 0xff, 0xfe])],
    ["a NUL byte", Buffer.from("text\0text")],
  ])("a file with %s is refused with its size", async (_, bytes) => {
    await writeFile(join(root, "binary"), bytes);
    await expect(use({ operation: "read", path: "binary" })).rejects.toThrow(/not UTF-8 text \(\d+ bytes\)/);
    await expect(use({ operation: "read", path: "binary", limit: 5 })).rejects.toThrow("not UTF-8 text");
  });
});

describe("list, exists and metadata", () => {
  test("a folder is listed sorted, with types and sizes, hidden files too", async () => {
    await symlink(base, join(root, "way-out"));
    expect(await textOf({ operation: "list" })).toBe(
      [".hidden (0 bytes)", "notes.txt (14 bytes)", "src/", "way-out (link, not followed)"].join("\n"),
    );
    expect(await textOf({ operation: "list", recursive: true })).toContain("src/main.ts (22 bytes)");
  });

  test("a truncated list says that it is truncated", async () => {
    expect(await textOf({ operation: "list", maxResults: 2 })).toMatch(/\[Cut: 2 of 3 entries/);
  });

  test("a file's name cannot fake a line of the list", async () => {
    await writeFile(join(root, "a\nfake (1 byte)"), "");
    expect(await textOf({ operation: "list" })).toContain("a\\u000afake (1 byte) (0 bytes)");
  });

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

describe("search", () => {
  test("finds text in contents and names, case-insensitively, with path and line", async () => {
    await writeFile(join(root, "src/two.md"), "nothing here");
    expect((await textOf({ operation: "search", query: "TWO" })).split("\n")).toEqual([
      "notes.txt:2: two",
      'src/main.ts:1: const answer = "Two";',
      "src/two.md",
    ]);
    expect(await textOf({ operation: "search", path: "src", query: "two", glob: "*.ts" })).toBe(
      'src/main.ts:1: const answer = "Two";',
    );
    expect(await textOf({ operation: "search", path: "notes.txt", query: "three" })).toBe(
      "notes.txt:3: three",
    );
  });

  test("takes special characters literally unless a regex is requested", async () => {
    expect(await textOf({ operation: "search", query: "t.o" })).toContain("Nothing was found in 3 files");
    expect(await textOf({ operation: "search", query: "^t(wo|hree)$", queryType: "regex" })).toBe(
      "notes.txt:2: two\nnotes.txt:3: three",
    );
    await expect(use({ operation: "search", query: "(", queryType: "regex" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  test("a glob alone finds files", async () => {
    expect(await textOf({ operation: "search", glob: "src/**/*.{ts,md}" })).toBe("src/main.ts");
    expect(await textOf({ operation: "search", glob: "**/*.ts" })).toBe("src/main.ts");
  });

  test("skips .git and node_modules unless asked, and never follows links or opens hard links", async () => {
    await mkdir(join(root, "node_modules/pkg"), { recursive: true });
    await writeFile(join(root, "node_modules/pkg/index.js"), "canary");
    await symlink(base, join(root, "way-out"));
    await link(join(base, "canary.txt"), join(root, "hard.txt"));
    const outcome = await textOf({ operation: "search", query: "canary" });
    expect(outcome).not.toContain(CANARY);
    expect(outcome).toContain("Nothing was found");
    expect(await textOf({ operation: "search", query: "canary", includeIgnored: true })).toContain(
      "node_modules/pkg/index.js:1: canary",
    );
  });

  test("stops at the maximum number of results and says so", async () => {
    await writeFile(join(root, "many.txt"), "match\n".repeat(50));
    const lines = (await textOf({ operation: "search", query: "match", maxResults: 10 })).split("\n");
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toContain("Stopped early: 10 results");
  });

  test("stops at once when it is aborted", async () => {
    const stopped = toolContext({ roots: [root], signal: AbortSignal.abort() });
    await expect(use({ operation: "search", query: "x" }, stopped)).rejects.toMatchObject({
      name: "AbortError",
    });
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

  test("edit replaces exactly one occurrence, and takes dollar signs literally", async () => {
    expect(await textOf({ operation: "edit", path: "notes.txt", oldText: "two", newText: "$& $1 2" })).toBe(
      'Changed "notes.txt" in one place.',
    );
    expect(await onDisk("notes.txt")).toBe("one\n$& $1 2\nthree\n");
  });

  test.each([
    [{ oldText: "four", newText: "4" }, "does not occur"],
    [{ oldText: "o", newText: "0" }, "occurs 2 times"],
    [{ oldText: "two", newText: "two" }, "nothing would change"],
  ])("edit %j is refused because it %s, and the file stays unchanged", async (args, reason) => {
    await expect(use({ operation: "edit", path: "notes.txt", ...args })).rejects.toThrow(reason);
    expect(await onDisk("notes.txt")).toBe("one\ntwo\nthree\n");
  });

  test("edit can replace all occurrences, and keeps Windows line ends", async () => {
    await use({ operation: "edit", path: "notes.txt", oldText: "o", newText: "0", replaceAll: true });
    expect(await onDisk("notes.txt")).toBe("0ne\ntw0\nthree\n");
    await writeFile(join(root, "windows.txt"), "\ufeffone\r\ntwo\r\nthree");
    await use({ operation: "edit", path: "windows.txt", oldText: "one\ntwo", newText: "1\n2" });
    expect(await onDisk("windows.txt")).toBe("\ufeff1\r\n2\r\nthree");
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
      'New file "n.txt":\n--- n.txt\n+++ n.txt\n@@ -0,0 +1,1 @@\n+a\\u001b[2J\n\\ No newline at end of file',
    );
  });

  test("of a move or a deletion is a sentence, and reading has none", async () => {
    expect(await previewOf({ operation: "move", path: "a", destination: "b" })).toBe('Move "a" to "b".');
    expect(await previewOf({ operation: "delete", path: "notes.txt" })).toBe(
      'Delete the file "notes.txt" (14 bytes).',
    );
    expect(await previewOf({ operation: "delete", path: "src", recursive: true })).toContain("1 entry and");
    expect(await previewOf({ operation: "read", path: "notes.txt" })).toBeUndefined();
  });

  test("of an operation that cannot work says why", async () => {
    expect(await previewOf({ operation: "edit", path: "../x", oldText: "a", newText: "b" })).toMatch(
      /^This will fail: /,
    );
  });
});
