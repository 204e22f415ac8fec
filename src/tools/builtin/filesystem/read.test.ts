import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWorkspace, type Workspace } from "../testing/workspace.ts";
import filesystem from "./index.ts";

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({ "notes.txt": "one\ntwo\nthree\n", "src/main.ts": "x" });
});

afterEach(() => workspace.remove());

const read = (path: string, rest: object = {}) => workspace.textOf({ operation: "read", path, ...rest });

describe("read", () => {
  test("returns lines with their numbers, labeled as untrusted, and the plain text as data", async () => {
    const { output, trust, data } = await workspace.use({ operation: "read", path: "notes.txt" });
    expect(output).toBe("1\tone\n2\ttwo\n3\tthree");
    expect(data).toMatchObject({ content: "one\ntwo\nthree\n", totalLines: 3, more: false });
    expect(trust ?? filesystem.trust).toBe("untrusted");
  });

  test("returns a range of lines, and where to continue", async () => {
    expect(await read("notes.txt", { offset: 2, limit: 1 })).toBe(
      "2\ttwo\n[Lines 2–2 of 3. Go on with offset 3.]",
    );
    expect(await read("notes.txt", { offset: 3 })).toBe("3\tthree\n[Lines 3–3 of 3: the end of the file.]");
    expect(await read("notes.txt", { offset: 9 })).toContain("the file has 3 lines");
  });

  test("shows 2,000 lines at once, and says how many there are", async () => {
    await workspace.put({
      "long.txt": Array.from({ length: 5_213 }, (_, at) => `line ${at + 1}\n`).join(""),
    });
    const lines = (await read("long.txt", { limit: 9_999 })).split("\n");
    expect(lines).toHaveLength(2_001);
    expect(lines.slice(-2)).toEqual(["2000\tline 2000", "[Lines 1–2000 of 5213. Go on with offset 2001.]"]);
    expect((await read("long.txt", { offset: 5_213 })).split("\n")[0]).toBe("5213\tline 5213");
  });

  test("shows 50,000 characters at once, in whole lines", async () => {
    await workspace.put({ "wide.txt": `${"grüße ".repeat(100)}\n`.repeat(5_000) });
    const output = await read("wide.txt", { offset: 4_000 });
    expect(output.length).toBeGreaterThan(49_000);
    expect(output.length).toBeLessThan(50_200);
    expect(output).toMatch(/\n\[Lines 4000–40\d\d of 5000\. Go on with offset 40\d\d\.\]$/);
  });

  test("cuts a very long line between characters, and says how much is missing", async () => {
    await workspace.put({ "line.txt": `x${"\u{1f600}".repeat(1_000_000)}\nnext` });
    const output = await read("line.txt");
    expect(output).toMatch(/^1\tx\u{1f600}+.? \[… 1998001 more characters in this line\]\n2\tnext$/u);
    expect(output.isWellFormed()).toBe(true);
  });

  test("reads UTF-16 and text with a byte order mark and CRLF without showing them", async () => {
    const text = "\ufeffgrüße\r\nzwei\r\n";
    const big = Buffer.from(text, "utf16le").swap16();
    await workspace.put({ "little.txt": Buffer.from(text, "utf16le"), "big.txt": big, "marked.txt": text });
    for (const path of ["little.txt", "big.txt", "marked.txt"])
      expect(await read(path)).toBe("1\tgrüße\n2\tzwei");
  });

  test.each([
    ["bytes that are not UTF-8", Buffer.from([0x66, 0xff, 0xfe]), "text in an unknown encoding"],
    ["a NUL byte", Buffer.from("text\0text"), "binary data"],
    ["a NUL byte far behind", Buffer.from(`${"text\n".repeat(20_000)}\0`), "text in an unknown encoding"],
    ["a PDF", Buffer.from("%PDF-1.7 text"), "application/pdf"],
  ])("a file with %s is refused with its size and type", async (_, bytes, type) => {
    await workspace.put({ binary: bytes });
    await expect(read("binary")).rejects.toThrow(/not UTF-8 text \([\d.]+ (?:bytes|kB), /);
    await expect(read("binary", { limit: 5 })).rejects.toThrow(type);
  });

  test("an empty file and a folder are answered with what they are", async () => {
    await workspace.put({ "empty.txt": "" });
    expect(await read("empty.txt")).toBe('"empty.txt" is empty.');
    expect(await read("src")).toBe('"src" is a folder with:\nmain.ts (1 byte)');
  });

  test("a file that does not exist is answered with names that may be meant", async () => {
    await workspace.put({ "src/deep/Config.ts": "", "node_modules/config.ts": "" });
    await symlink(workspace.root, join(workspace.root, "loop"));
    await expect(read("note.txt")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: 'There is no "note.txt". Did you mean "notes.txt"?',
      origin: "workspace",
    });
    await expect(read("lib/config.ts")).rejects.toThrow(/Did you mean "src\/deep\/Config\.ts"\?$/);
    await expect(read("something-else")).rejects.toThrow(/^There is no "something-else"\.$/);
  });
});
