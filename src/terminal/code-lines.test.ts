import { describe, expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";
import { highlighter } from "./highlight.ts";
import type { Paint } from "./style.ts";

const paint: Paint = (format, text) => (text === "" ? "" : `<${[format].flat().join("+")}:${text}>`);

describe("code", () => {
  it("is colored by comments, strings, numbers and words, over several lines", () => {
    const line = highlighter("ts", paint);
    expect(line("const a = 'x // y'; // why")).toBe("<magenta:const> a = <green:'x // y'>; <dim:// why>");
    expect([line("/* one"), line("two */ 42")]).toEqual(["<dim:/* one>", "<dim:two */> <yellow:42>"]);
    expect(highlighter("python", paint)("def f(): # x")).toBe("<magenta:def> f(): <dim:# x>");
    expect(highlighter("sql", paint)("SELECT 1")).toBe("<magenta:SELECT> <yellow:1>");
    expect(highlighter("ts", paint)("see https://x.y")).toBe("see https://x.y");
  });

  it("keeps its text, whatever it is", () => {
    const plain: Paint = (_, text) => text;
    for (const text of ["'open", '"a\\"b" c', "`x $1 y`", "/* /* */ */", "日本 = 'é'", "\\", "a<b>&&c"])
      for (const language of ["js", "py", "sh", "sql", "json", "html", "css", "diff", "unknown", ""])
        expect(highlighter(language, plain)(text)).toBe(text);
  });
});

describe("a diff", () => {
  it("has line numbers, and marks what differs in a line", () => {
    const lines = [
      "--- a",
      "+++ b",
      "@@ -9,3 +9,3 @@",
      " same",
      "-let total = 1;",
      "+let total = 22;",
      " end",
    ];
    expect(diffLines(lines, 60, paint)).toEqual([
      "<bold:--- a>",
      "<bold:+++ b>",
      "<cyan:@@ -9,3 +9,3 @@>",
      "<dim: 9 > same",
      "<dim:10 ><red:-let total = ><red+inverse:1><red:;>",
      "<dim:10 ><green:+let total = ><green+inverse:22><green:;>",
      "<dim:11 > end",
    ]);
  });

  it("marks nothing where lines have little in common, or were only added", () => {
    const lines = ["@@ -1 +1,2 @@", "-abc", "+xyz", "+more"];
    expect(diffLines(lines, 60, paint).slice(1)).toEqual([
      "<dim:1 ><red:-abc>",
      "<dim:1 ><green:+xyz>",
      "<dim:2 ><green:+more>",
    ]);
  });
});
