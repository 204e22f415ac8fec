import { describe, expect, it } from "vitest";
import { clean, createCleaner, reveal } from "./clean.ts";

const NASTY =
  "a\x1b[31mb\x1b[0m\x1b]8;;http://x\x07c\x1b]8;;\x1b\\d\x1bPq#0\x1b\\e\x9b2Jf\x07g\x00h\u202ei\x7f";

describe("text from outside", () => {
  it("keeps letters, tabs and lines, and loses everything that a terminal would obey", () => {
    expect(clean(NASTY)).toBe("abcdefghi");
    expect(clean("one\r\ntwo\rthree\tfour")).toBe("one\ntwo\nthree    four");
    expect(clean("👩‍👩‍👧 äöü 漢字")).toBe("👩‍👩‍👧 äöü 漢字");
  });

  it("is cleaned the same way if it arrives letter by letter", () => {
    const cleaner = createCleaner();
    const pieces = Array.from(`${NASTY}\r\nend\x1b[3`, (letter) => cleaner.push(letter));
    expect(pieces.join("")).toBe("abcdefghi\nend");
    expect(cleaner.end()).not.toContain("\x1b");
  });

  it("does not wait forever for the end of a sequence", () => {
    const cleaner = createCleaner();
    expect(cleaner.push(`\x1b]0;${"x".repeat(500)}`)).toContain("xxx");
  });

  it("has its hidden characters spelled out for an approval", () => {
    expect(reveal("rm \x1b[8m-rf\u202e /\x07")).toBe("rm ⟨U+001B⟩[8m-rf⟨U+202E⟩ /⟨U+0007⟩");
  });
});
