import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryUndoJournal } from "../testing/undo-journal.ts";
import { createWorkspace, type Workspace } from "../testing/workspace.ts";
import filesystem from "./index.ts";

let workspace: Workspace;

beforeEach(async () => {
  workspace = await createWorkspace({ "notes.txt": "one\ntwo\nthree\n" });
});

afterEach(() => workspace.remove());

const edit = (args: object) => ({ operation: "edit", path: "notes.txt", ...args });
const two = { oldText: "two", newText: "2" };

describe("edit", () => {
  test("answers with the changed lines and their numbers, labeled as untrusted", async () => {
    const { output, trust } = await workspace.use(edit(two));
    expect(output).toBe('Changed "notes.txt" in one place. Now:\n1\tone\n2\t2\n3\tthree');
    expect(trust ?? filesystem.trust).toBe("untrusted");
    expect(await workspace.onDisk("notes.txt")).toBe("one\n2\nthree\n");
  });

  test("makes several edits with one entry to undo, or none of them", async () => {
    const undo = memoryUndoJournal();
    const edits = [two, { oldText: "three", newText: "3" }];
    await workspace.use(edit({ edits }), { undo });
    expect(await workspace.onDisk("notes.txt")).toBe("one\n2\n3\n");
    expect(undo.entries).toHaveLength(1);
    const failing = edit({
      edits: [
        { oldText: "one", newText: "1" },
        { oldText: "gone", newText: "x" },
      ],
    });
    await expect(workspace.use(failing, { undo })).rejects.toThrow("None of the edits was made");
    expect(await workspace.onDisk("notes.txt")).toBe("one\n2\n3\n");
    expect(undo.entries).toHaveLength(1);
  });

  test("without a text to replace creates a file, and only that", async () => {
    const create = { operation: "edit", path: "new/a.txt", oldText: "", newText: "a\n" };
    await workspace.use(create);
    expect(await workspace.onDisk("new/a.txt")).toBe("a\n");
    await expect(workspace.use(create)).rejects.toThrow("exists already");
  });

  test("and write keep UTF-16, byte order marks and CRLF", async () => {
    const text = "\ufeffone\r\ntwo\r\n";
    const big = Buffer.from(text, "utf16le").swap16();
    await workspace.put({ "marked.txt": text, "little.txt": Buffer.from(text, "utf16le"), "big.txt": big });
    for (const path of ["marked.txt", "little.txt", "big.txt"]) {
      await workspace.use({ operation: "edit", path, ...two });
      await workspace.use({ operation: "edit", path, oldText: "one\n2", newText: "1\n2\n3" });
    }
    expect(await workspace.onDisk("marked.txt")).toBe("\ufeff1\r\n2\r\n3\r\n");
    expect((await workspace.bytesOnDisk("little.txt")).toString("utf16le")).toBe("\ufeff1\r\n2\r\n3\r\n");
    expect((await workspace.bytesOnDisk("big.txt")).swap16().toString("utf16le")).toBe(
      "\ufeff1\r\n2\r\n3\r\n",
    );
    for (const path of ["marked.txt", "little.txt"])
      await workspace.use({ operation: "write", path, content: "grüße\n" });
    expect(await workspace.onDisk("marked.txt")).toBe("\ufeffgrüße\r\n");
    expect((await workspace.bytesOnDisk("little.txt")).toString("utf16le")).toBe("\ufeffgrüße\r\n");
  });
});

describe("a file that something else has changed since it was read", () => {
  test.each([
    [{ operation: "edit", oldText: "three", newText: "3" }],
    [{ operation: "write", content: "mine\n" }],
  ])("is not changed by %j; the difference is shown once, then the next call goes through", async (args) => {
    await workspace.use({ operation: "read", path: "notes.txt" });
    await workspace.put({ "notes.txt": "one\nTWO\nthree\n" });
    const change = { ...args, path: "notes.txt" };
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(workspace.use(change, { toolCallId: "call_1" })).rejects.toMatchObject({
        code: "CONFLICT",
        publicMessage: expect.stringContaining("-two\n+TWO"),
      });
    }
    expect(await workspace.onDisk("notes.txt")).toBe("one\nTWO\nthree\n");
    await workspace.use(change, { toolCallId: "call_2" });
    expect(await workspace.onDisk("notes.txt")).not.toBe("one\nTWO\nthree\n");
  });

  test("is changed if the session has not read it, or has changed it itself", async () => {
    await workspace.use({ operation: "read", path: "notes.txt" }, { sessionId: "another" });
    await workspace.put({ "notes.txt": "one\ntwo\n3\n" });
    await workspace.use(edit(two));
    await workspace.use(edit({ oldText: "one", newText: "1" }));
    expect(await workspace.onDisk("notes.txt")).toBe("1\n2\n3\n");
  });
});

describe("an approved change", () => {
  const approved = (args: object) => filesystem.preview({ path: "notes.txt", ...args }, workspace.context);

  test("is made if the same lines change, wherever they are by now", async () => {
    const approvedPreview = await approved(edit(two));
    await workspace.put({ "notes.txt": "zero\nhalf\none\ntwo\nthree\n" });
    await workspace.use(edit(two), { approvedPreview: approvedPreview ?? "" });
    expect(await workspace.onDisk("notes.txt")).toBe("zero\nhalf\none\n2\nthree\n");
  });

  test("is refused with the new difference if it would be another one", async () => {
    const write = { operation: "write", path: "notes.txt", content: "one\n" };
    const approvedPreview = (await approved(write)) ?? "";
    await workspace.put({ "notes.txt": "one\ntwo\nthree\nfour\n" });
    await expect(workspace.use(write, { approvedPreview })).rejects.toMatchObject({
      code: "CONFLICT",
      publicMessage: expect.stringContaining("-four"),
    });
    expect(await workspace.onDisk("notes.txt")).toBe("one\ntwo\nthree\nfour\n");
  });
});
