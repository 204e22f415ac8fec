import { describe, expect, test } from "vitest";
import { endOfPiece, fingerprint, readToken, writeToken } from "./pieces.ts";
import { headingsOf, sectionOf } from "./sections.ts";

function pieces(text: string, maxChars: number): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start, maxChars);
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

describe("a long text", () => {
  test("is cut after a paragraph, or else a line, a sentence or a word", () => {
    expect(pieces("aaaa aaaa\n\nbbbb bbbb. cc", 16)[0]).toBe("aaaa aaaa\n\n");
    expect(pieces("aaaa aaaa\nbbbb bbbb. cc", 16)[0]).toBe("aaaa aaaa\n");
    expect(pieces("aaaa aaa. bbbb bbbb. cc", 16)[0]).toBe("aaaa aaa. ");
    expect(pieces("aaaa aaaa bbbb bbbb cc", 16)[0]).toBe("aaaa aaaa bbbb ");
  });

  test.each([
    ["emoji", "🐝".repeat(500)],
    ["families", "👩‍👩‍👧‍👦".repeat(200)],
    ["accents", "e\u0301".repeat(500)],
    ["flags", "🇩🇪".repeat(300)],
  ])("of %s is never cut inside a character", (_, text) => {
    const [first = ""] = [...new Intl.Segmenter("en").segment(text)].map((one) => one.segment);
    for (const maxChars of [201, 205, 210]) {
      const cut = pieces(text, maxChars);
      expect(cut.join("")).toBe(text);
      for (const piece of cut) {
        expect(piece.length).toBeLessThanOrEqual(maxChars);
        expect(piece.replaceAll(first, "")).toBe("");
      }
    }
  });

  test("is always cut into pieces, whatever it contains", () => {
    for (const text of [
      "\u0301".repeat(3_000),
      "\ud83d".repeat(1_000),
      "a".repeat(5_000),
      " ".repeat(2_000),
    ]) {
      expect(pieces(text, 200).join("")).toBe(text);
    }
  });
});

test("a token is read back as it was written, and anything else is refused", () => {
  const mark = { url: fingerprint("u"), content: fingerprint("c"), heading: "Über uns", offset: 12_345 };
  expect(readToken(writeToken(mark))).toEqual(mark);
  expect(readToken(writeToken({ ...mark, heading: undefined }))).toEqual({ ...mark, heading: undefined });
  for (const wrong of ["", "x", "1.2.3", "{}", `-1.${mark.url}.${mark.content}`])
    expect(readToken(wrong)).toBeUndefined();
});

describe("a section", () => {
  const text =
    "# Bees\n\nall\n\n## [Honey](https://x) *types*\n\nsweet\n\n```sh\n# not a heading\n```\n\n### Dark\n\nd\n\n## Wax\n\nw";

  test("ends at the next heading of the same level", () => {
    expect(sectionOf(text, headingsOf(text), "honey types")).toBe(
      "## [Honey](https://x) *types*\n\nsweet\n\n```sh\n# not a heading\n```\n\n### Dark\n\nd",
    );
    expect(sectionOf(text, headingsOf(text), "## WAX ")).toBe("## Wax\n\nw");
    expect(sectionOf(text, headingsOf(text), "dark")).toBe("### Dark\n\nd");
    expect(sectionOf(text, headingsOf(text), "bee")).toBe(text);
  });

  test("is found only if its heading exists", () => {
    expect(sectionOf(text, headingsOf(text), "not a heading")).toBeUndefined();
    expect(sectionOf(text, headingsOf(text), "#")).toBeUndefined();
    expect(headingsOf(text).map((heading) => heading.level)).toEqual([1, 2, 3, 2]);
  });

  test("is looked for among a bounded number of short headings", () => {
    const headings = headingsOf(`# ${"x".repeat(1_000)}\n${"## y\n".repeat(3_000)}`);
    expect(headings).toHaveLength(2_000);
    expect(headings[0]?.text).toHaveLength(300);
    expect(headingsOf("\n".repeat(2_000_000))).toEqual([]);
  });
});
