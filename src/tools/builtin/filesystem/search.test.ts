import { link, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWorkspace, type Workspace } from "../testing/workspace.ts";

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({
    "notes.txt": "one\ntwo\nthree\n",
    "src/main.ts": 'const answer = "Two";\n',
    ".hidden/two.txt": "two\n",
  });
});

afterEach(() => workspace.remove());

const search = (args: object) => workspace.textOf({ operation: "search", ...args });
const lines = async (args: object) => (await search(args)).split("\n");

describe("search", () => {
  test("leaves out files that the policy closes, and says how many", async () => {
    const closed = { mayRead: (path: string) => path !== "src/main.ts" };
    const found = async (args: object) =>
      (await workspace.use({ operation: "search", ...args }, closed)).output;
    const note = "[1 files were left out: the policy does not allow reading them, or not without asking.]";
    expect(await found({ query: "two" })).toBe(`notes.txt:2: two\n${note}`);
    expect(await found({ query: "answer", path: "src", mode: "files" })).not.toContain("main.ts");
    expect(await found({ query: "answer", path: "src/main.ts" })).toContain(note);
    expect(await found({ glob: "**/*.ts" })).toBe("src/main.ts");
  });

  test("finds regular expressions in lines, with path and number", async () => {
    expect(await lines({ query: "^t(wo|hree)$" })).toEqual(["notes.txt:2: two", "notes.txt:3: three"]);
    expect(await lines({ query: "t.o", path: "src" })).toEqual(['src/main.ts:1: const answer = "Two";']);
    expect(await lines({ query: "three", path: "notes.txt" })).toEqual(["notes.txt:3: three"]);
    await expect(search({ query: "(" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage: expect.stringContaining("Set literal"),
    });
  });

  test("minds case only if the query has upper case letters, or if it is told to", async () => {
    expect(await lines({ query: "two" })).toHaveLength(2);
    expect(await lines({ query: "Two" })).toEqual(['src/main.ts:1: const answer = "Two";']);
    expect(await lines({ query: "\\Stwo\\S" })).toEqual(['src/main.ts:1: const answer = "Two";']);
    expect(await lines({ query: "TWO", caseSensitive: false })).toHaveLength(2);
    expect(await lines({ query: "two", caseSensitive: true })).toEqual(["notes.txt:2: two"]);
  });

  test("finds words in text of an older encoding", async () => {
    await writeFile(join(workspace.root, "latin.txt"), Buffer.from("caf\u00e9 needle\n", "latin1"));
    expect(await lines({ query: "needle" })).toEqual(["latin.txt:1: caf\u00e9 needle"]);
  });

  test("takes special characters literally if it is told to", async () => {
    await workspace.put({ "call.ts": "run(a.b)\nrun(acb)\n" });
    expect(await lines({ query: "(a.b)", literal: true })).toEqual(["call.ts:1: run(a.b)"]);
    expect(await lines({ query: "(a.b)", queryType: "text" })).toEqual(["call.ts:1: run(a.b)"]);
  });

  test("shows lines before and after a match, and where lines are left out", async () => {
    await workspace.put({ "many.txt": Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n") });
    expect(await lines({ query: "line (2|5|15)$", path: "many.txt", contextLines: 1 })).toEqual([
      "many.txt-1- line 1",
      "many.txt:2: line 2",
      "many.txt-3- line 3",
      "many.txt-4- line 4",
      "many.txt:5: line 5",
      "many.txt-6- line 6",
      "--",
      "many.txt-14- line 14",
      "many.txt:15: line 15",
      "many.txt-16- line 16",
    ]);
  });

  test("lists files, counts lines, and finds files by glob alone", async () => {
    expect(await lines({ query: "t", mode: "files" })).toEqual(["notes.txt", "src/main.ts"]);
    expect(await lines({ query: "t", mode: "count" })).toEqual(["notes.txt: 2", "src/main.ts: 1"]);
    expect(await lines({ glob: "src/**/*.{ts,md}" })).toEqual(["src/main.ts"]);
    expect(await lines({ glob: "**/*.ts" })).toEqual(["src/main.ts"]);
    expect(await lines({ query: "t", glob: "*.{ts,txt}", exclude: "src" })).toEqual([
      "notes.txt:2: two",
      "notes.txt:3: three",
    ]);
  });

  test("can begin with the files that were changed last", async () => {
    await utimes(join(workspace.root, "notes.txt"), 1, 1);
    expect(await lines({ query: "two", order: "newest", mode: "files" })).toEqual([
      "src/main.ts",
      "notes.txt",
    ]);
  });

  test("leaves out ignored files at every level, hidden files and binary files", async () => {
    await workspace.put({
      ".gitignore": "*.log\n/build/\n!keep.log\nsrc/**/gen\n# a comment\n",
      "a.log": "canary",
      "keep.log": "canary",
      "build/out.js": "canary",
      "lib/build/in.js": "canary",
      "lib/.gitignore": "secret.txt\n!*.log\n",
      "lib/secret.txt": "canary",
      "lib/b.log": "canary",
      "src/x/gen/y.ts": "canary",
      "node_modules/pkg/index.js": "canary",
      ".git/config": "canary",
      "image.bin": "canary\0",
    });
    const found = ["keep.log", "lib/b.log", "lib/build/in.js"];
    expect(await lines({ query: "canary", mode: "files" })).toEqual(found);
    expect(await lines({ query: "canary", mode: "files", path: "lib" })).toEqual(found.slice(1));
    expect(await search({ query: "canary", path: "src" })).toContain(
      "Hidden and ignored files were left out",
    );
    expect(await lines({ query: "canary", mode: "files", path: "build" })).toEqual(["build/out.js"]);
    const all = await lines({ query: "canary", mode: "files", includeIgnored: true, hidden: true });
    expect(all).toHaveLength(9);
    expect(await lines({ query: "two", mode: "files", hidden: true })).toContain(".hidden/two.txt");
  });

  test("never follows links or opens hard links", async () => {
    const outside = await createWorkspace({ "canary.txt": "the canary outside" });
    await symlink(outside.root, join(workspace.root, "way-out"));
    await link(join(outside.root, "canary.txt"), join(workspace.root, "hard.txt"));
    const output = await search({ query: "canary" });
    expect(output).toContain("Nothing was found");
    expect(output).not.toContain("the canary outside");
    await outside.remove();
  });

  test("shows 100 results, says how many there are, and goes on from there", async () => {
    await workspace.put({ "many.txt": "match\n".repeat(150), "more.txt": "match\n".repeat(64) });
    const first = await lines({ query: "match" });
    expect(first).toHaveLength(101);
    expect(first.at(-1)).toBe(
      "[Results 1–100 of 214 matching lines in 2 files. Go on with offset 101, or narrow the search.]",
    );
    const rest = await lines({ query: "match", offset: 101, maxResults: 200 });
    expect(rest[0]).toBe("many.txt:101: match");
    expect(rest.slice(-2)).toEqual([
      "more.txt:64: match",
      "[Results 101–214 of 214 matching lines in 2 files.]",
    ]);
  });

  test("cuts a long line around the match", async () => {
    await workspace.put({ "long.js": `${"a".repeat(5_000)}needle${"b".repeat(5_000)}` });
    const [line = ""] = await lines({ query: "needle" });
    expect(line).toMatch(/^long\.js:1: …a{100}needleb+…$/);
    expect(line.length).toBeLessThan(330);
  });

  test("a regular expression that never ends is stopped", async () => {
    await workspace.put({ "slow.txt": `${"a".repeat(60)}!` });
    // The expression really runs, in its own thread; only the 15 seconds pass faster.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      let seconds = 0;
      let isOver = false;
      const searching = search({ query: "^(a+)+$" }).finally(() => (isOver = true));
      const stopped = expect(searching).rejects.toMatchObject({ code: "TOOL_TIMEOUT" });
      for (; !isOver && seconds < 2_000; seconds++) {
        await vi.advanceTimersByTimeAsync(1_000);
        await pause(5); // The file is read and the thread started in real time.
      }
      await stopped;
      expect(seconds).toBeGreaterThanOrEqual(15);
    } finally {
      vi.useRealTimers();
    }
  });

  test("stops at once when it is aborted", async () => {
    const stopped = { signal: AbortSignal.abort() };
    await expect(workspace.use({ operation: "search", query: "x" }, stopped)).rejects.toMatchObject({
      name: "AbortError",
    });
  });
});
