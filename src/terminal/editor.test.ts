import { describe, expect, it } from "vitest";
import { Editor } from "./editor.ts";

/** Types and presses: `[left]` is a key, anything else is text. */
function edit(keys: string, columns = 80): Editor {
  const editor = new Editor();
  for (const [piece] of keys.matchAll(/\[[\w_-]+\]|[^[]+/g)) {
    if (piece.startsWith("[")) editor.press(piece.slice(1, -1), columns);
    else editor.insert(piece);
  }
  return editor;
}

describe("the line editor", () => {
  it.each([
    ["abc[left][backspace]", "ac"],
    ["one two[ctrl-w]", "one "],
    ["one two  [ctrl-w]x", "one x"],
    ["one two[ctrl-u]", ""],
    ["one two[ctrl-left][ctrl-k]", "one "],
    ["one two[ctrl-w][home][ctrl-y]", "twoone "],
    ["a b c[ctrl-w][ctrl-w][ctrl-w][ctrl-y]", "a b c"],
    ["one\ntwo[ctrl-a]x", "one\nxtwo"],
    ["one\ntwo[up][end]x", "onex\ntwo"],
    ["one\ntwo[ctrl-a][backspace]", "onetwo"],
    ["one\ntwo[up][end][delete]", "onetwo"],
    ["[left][backspace][ctrl-w]", ""],
    ["a👩‍👩‍👧b[left][backspace]", "ab"],
    ["e\u0301x[left][backspace]", "x"],
    ["日本語[left][delete]", "日本"],
    ["keep this[ctrl-w][ctrl-_]", "keep this"],
    ["word [alt-b][alt-d]", " "],
  ])("%j gives %j", (keys, text) => {
    expect(edit(keys).text).toBe(text);
  });

  it("keeps the column over a shorter line, even if lines wrap", () => {
    expect(edit("abcdef\nx\nabcdef[up][up]|").text).toBe("abcdef|\nx\nabcdef");
    expect(edit("abcdefgh[up]|", 5).text).toBe("abc|defgh");
  });

  it("breaks rows by what the terminal shows, and puts the cursor there", () => {
    expect(edit("日本語x", 5).layout(5)).toEqual({ rows: ["日本", "語x"], cursor: { row: 1, column: 3 } });
    expect(edit("\tx").layout(80)).toEqual({ rows: ["    x"], cursor: { row: 0, column: 5 } });
    expect(edit("a\n").layout(80)).toEqual({ rows: ["a", ""], cursor: { row: 1, column: 0 } });
  });

  it("moves over a label and deletes it as one character", () => {
    const editor = new Editor();
    editor.insert("see ");
    editor.insert("[Pasted 1: 9 lines]", true);
    editor.press("left", 80);
    expect(editor.cursor).toBe(4);
    editor.press("end", 80);
    editor.press("backspace", 80);
    expect(editor.text).toBe("see ");
  });
});
