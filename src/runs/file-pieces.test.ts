import { describe, expect, it } from "vitest";
import { piecesOf } from "./file-pieces.ts";

describe("the pieces of a file", () => {
  it("end with a line, and know the line where they begin", () => {
    const line = "x".repeat(500);
    expect(piecesOf(`\n\n${line}\n${line}\n  ${line}  \nlast\n`)).toEqual([
      { place: "line 3", text: `${line}\n${line}` },
      { place: "line 5", text: `${line}\nlast` },
    ]);
    expect(piecesOf(" \n\n")).toEqual([]);
    expect(piecesOf(`\r${line}\r\n\r\n${line}\r${line}`).map(({ place }) => place)).toEqual([
      "line 2",
      "line 5",
    ]);
  });

  it("are as long as they may be, and no longer", () => {
    const [first, second] = ["a".repeat(599), "b".repeat(600)];
    expect(piecesOf(`${first}\n${second}`)).toEqual([{ place: "line 1", text: `${first}\n${second}` }]);
    expect(piecesOf(`${first}\n${second}b`)).toHaveLength(2);
    expect(piecesOf("c".repeat(1_200))).toEqual([{ place: "line 1", text: "c".repeat(1_200) }]);
  });

  it("of a long line end with a word where there is one", () => {
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`);
    const pieces = piecesOf(words.join(" "));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.flatMap(({ text }) => text.split(/\s+/))).toEqual(words);
    expect(pieces.every(({ place, text }) => place === "line 1" && text.length <= 1_200)).toBe(true);
    const unbroken = piecesOf("x".repeat(2_500)).map(({ text }) => text.length);
    expect(unbroken).toEqual([1_100, 1_100, 300]);
  });

  it("know their page or slide", () => {
    expect(piecesOf("[Page 1]\none\n\n[Page 12]\ntwelve\n[Slide 3]\nthree")).toEqual([
      { place: "page 1", text: "one" },
      { place: "page 12", text: "twelve" },
      { place: "slide 3", text: "three" },
    ]);
    expect(piecesOf("see [Page 1]\n[Page 1] of it\n[Page x]")).toEqual([
      { place: "line 1", text: "see [Page 1]\n[Page 1] of it\n[Page x]" },
    ]);
  });

  it("know their sheet and row", () => {
    const row = (number: number) => `${number} | ${"x".repeat(700)}`;
    expect(piecesOf(`[Sheet “Costs”]\n${row(7)}\n${row(12)}\n[Sheet “Notes”]\nfree text`)).toEqual([
      { place: "Costs, row 7", text: row(7) },
      { place: "Costs, row 12", text: row(12) },
      { place: "Notes, row 1", text: "free text" },
    ]);
    expect(piecesOf("7 | not in a sheet")[0]?.place).toBe("line 1");
    expect(piecesOf("[Sheet “Costs”]\n1 | a\n[Page 2]\nafter")[1]?.place).toBe("page 2");
  });

  it("know their heading where pages do not count", () => {
    const text = `Preface\n# One\nfirst\n####### seven\n###### Two\nsecond\n# ${"long ".repeat(30)}\nthird`;
    expect(piecesOf(text, true)).toEqual([
      { place: "the beginning", text: "Preface" },
      { place: "under “One”", text: "# One\nfirst\n####### seven" },
      { place: "under “Two”", text: "###### Two\nsecond" },
      { place: `under “${"long ".repeat(16)}”`, text: `# ${"long ".repeat(30).trimEnd()}\nthird` },
    ]);
    expect(piecesOf("# One\nfirst")).toEqual([{ place: "line 1", text: "# One\nfirst" }]);
  });

  it("hold the first two million characters, without what a database cannot store", () => {
    expect(piecesOf("a\0b")).toEqual([{ place: "line 1", text: "a b" }]);
    const pieces = piecesOf(`${`${"x".repeat(999)}\n`.repeat(2_000)}beyond`);
    expect(pieces.at(-1)?.text.endsWith("x")).toBe(true);
  });
});
