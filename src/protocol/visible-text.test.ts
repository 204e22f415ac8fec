import { describe, expect, it } from "vitest";
import { visibleLine, visibleText } from "./visible-text.ts";

describe("text for an approval", () => {
  it.each([
    ["if (a\u202e)b", "if (a⟨U+202E⟩)b"],
    ["a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"],
    ["rm\u200b x\u2060\ufeff", "rm⟨U+200B⟩ x⟨U+2060⟩⟨U+FEFF⟩"],
    ["a\u001b[8m\u0007\r", "a⟨U+001B⟩[8m⟨U+0007⟩⟨U+000D⟩"],
    ["ls\u00a0-l\u3164\u2800", "ls⟨U+00A0⟩-l⟨U+3164⟩⟨U+2800⟩"],
    ["a\u2028b\u{e0041}\u{f0000}", "a⟨U+2028⟩b⟨U+E0041⟩⟨U+F0000⟩"],
    ["lone \ud800", "lone ⟨U+D800⟩"],
    ["a\u200db\ufe0f", "a⟨U+200D⟩b⟨U+FE0F⟩"],
  ])("spells out %j", (text, shown) => expect(visibleText(text)).toBe(shown));

  it("leaves ordinary text alone", () => {
    const text = "Grüße an 東京 👩‍💻 ❤️ 👍🏽\n\tx = 1;\n\n\ny\n";
    expect(visibleText(text)).toBe(text);
  });

  it("folds blank lines and long gaps with their count", () => {
    expect(visibleText(`ls${"\n".repeat(61)}rm -rf src`)).toBe("ls\n⋮ 60 empty lines\nrm -rf src");
    expect(visibleText(`ls${"\n \t".repeat(60)}\nrm`)).toBe("ls\n⋮ 60 empty lines\nrm");
    expect(visibleText(`+a\n${"+\n".repeat(60)}+b`)).toBe("+a\n+⋮ 60 empty lines\n+b");
    expect(visibleText(`ls${" ".repeat(300)}; rm x`)).toBe("ls ⋯ 300 spaces ⋯ ; rm x");
  });

  it("is complete, and the same when it is shown again", () => {
    const long = Array.from({ length: 50_000 }, (_, line) => `line ${line}\u202e`).join("\n");
    const shown = visibleText(`${long}${"\n".repeat(90)}${" ".repeat(99)}rm -rf src`);
    expect(shown.endsWith("line 49999⟨U+202E⟩\n⋮ 89 empty lines\n ⋯ 99 spaces ⋯ rm -rf src")).toBe(true);
    expect(visibleText(shown)).toBe(shown);
  });

  it("keeps a value in one line", () => {
    expect(visibleLine("a\n2. pay\tb")).toBe("a⟨U+000A⟩2. pay⟨U+0009⟩b");
  });
});
