import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWorkspace, type Workspace } from "../testing/workspace.ts";

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({
    ".gitignore": "dist\n",
    "a/b/c/d/deep.ts": "x",
    "a/one.ts": "const one = 1;",
    "dist/out.js": "x",
    "node_modules/pkg/index.js": "x",
    ".git/HEAD": "x",
    "notes.md": "",
  });
});

afterEach(() => workspace.remove());

const lines = async (args: object = {}) =>
  (await workspace.textOf({ operation: "list", ...args })).split("\n");
const LEFT_OUT = "[3 ignored entries are left out; includeIgnored shows them.]";

describe("list", () => {
  test("shows a tree with sizes, without .git, node_modules and ignored files", async () => {
    await symlink(workspace.root, join(workspace.root, "way-out"));
    expect(await lines()).toEqual([
      ".gitignore (5 bytes)",
      "a/",
      "  b/",
      "    c/ …",
      "  one.ts (14 bytes)",
      "notes.md (0 bytes)",
      "way-out (link, not followed)",
      LEFT_OUT,
    ]);
  });

  test("shows one folder alone, all levels, or a depth", async () => {
    expect(await lines({ recursive: false })).toEqual([
      ".gitignore (5 bytes)",
      "a/",
      "notes.md (0 bytes)",
      LEFT_OUT,
    ]);
    expect(await lines({ depth: 1 })).toEqual(await lines({ recursive: false }));
    expect(await lines({ recursive: true })).toContain("        deep.ts (1 byte)");
    expect(await lines({ path: "a", depth: 2 })).toEqual(["b/", "  c/ …", "one.ts (14 bytes)"]);
    expect(await lines({ path: "dist" })).toEqual(["out.js (1 byte)"]);
    expect(await lines({ includeIgnored: true })).toContain("dist/");
  });

  test("shows only files that fit a glob", async () => {
    expect(await lines({ glob: "*.ts", path: "a" })).toEqual([
      "b/",
      "  c/",
      "    d/",
      "      deep.ts (1 byte)",
      "one.ts (14 bytes)",
    ]);
    expect((await lines({ glob: "*.py" }))[0]).toBe("No file fits.");
  });

  test("says how many entries are not shown", async () => {
    await workspace.put(Object.fromEntries(Array.from({ length: 314 }, (_, at) => [`many/${at}.txt`, ""])));
    const tree = await lines();
    expect(tree).toContain("  … 214 more");
    expect(tree.at(-1)).toContain("Not everything is shown");
    expect(await lines({ path: "many", maxResults: 2 })).toEqual([
      "0.txt (0 bytes)",
      "1.txt (0 bytes)",
      "… 312 more",
      "[Not everything is shown. List a folder below, raise maxResults, or narrow it with glob.]",
    ]);
  });

  test("a file's name cannot fake a line of the list", async () => {
    await workspace.put({ "a\nfake (1 byte)": "" });
    expect(await lines({ depth: 1 })).toContain("a\\u000afake (1 byte) (0 bytes)");
  });
});
