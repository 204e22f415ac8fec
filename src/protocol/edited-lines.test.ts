import { expect, it } from "vitest";
import { editedLines } from "./edited-lines.ts";

it("shows what an edit removes and adds, without lines that only give the place", () => {
  const edit = { oldText: "a\nb\nc", newText: "a\nx\ny\nc" };
  expect(editedLines({ operation: "edit", ...edit })).toEqual(["-b", "+x", "+y"]);
  expect(editedLines({ operation: "edit", edits: [edit, { old_string: "d\n", new_string: "" }] })).toEqual([
    "-b",
    "+x",
    "+y",
    "-d",
  ]);
});

it("shows nothing for other calls and broken arguments", () => {
  expect(editedLines({ operation: "write", content: "a" })).toBeUndefined();
  expect(editedLines("{")).toBeUndefined();
  expect(editedLines({ operation: "edit", edits: [1], oldText: 2 })).toEqual([]);
});
