import { describe, expect, it } from "vitest";
import { Seam } from "./seam.ts";

/** Joins the pieces as a person would see them. Each piece arrives one character at a time, and once as a whole. */
function joined(shown: string, continuation: string): string {
  const texts = [continuation.split(""), [continuation]].map((pieces) => {
    const seam = new Seam(shown);
    let text = shown;
    for (const piece of pieces) text += seam.push(piece);
    text += seam.end();
    expect(shown + (text === shown ? "" : seam.glue) + continuation.slice(seam.dropped)).toBe(text);
    return text;
  });
  expect(texts[0]).toBe(texts[1]);
  return texts[0] ?? "";
}

const WORDS = Array.from({ length: 120 }, (_, index) => `word${index}`).join(" ");

describe("a continuation", () => {
  it("that goes on is left as it is", () => {
    for (const [shown, rest] of [
      ["The quick brown", " fox jumps."],
      ["The quick bro", "wn fox jumps."],
      ["The quick brown ", "fox jumps."],
      ["one\n", "\ntwo"],
      ["He said that", " that was that."],
      ["very very", " very good"],
      ["1", "1 apples"],
      ["000000", "0000001"],
      ["    }\n", "    }\n}\n"],
      ["x = foo(", "foo(1))"],
      ["It is really", " really good."],
      ["", "Hello."],
      ["\n\n", "Hello."],
      ["🙂", "🙂🙂"],
    ] as const)
      expect(joined(shown, rest)).toBe(shown + rest);
  });

  it.each([1, 2, 3, 5, 30, 60])("that repeats %i words loses them", (count) => {
    const whole = `${WORDS}.`;
    const at = whole.indexOf("word90") - 1;
    const shown = whole.slice(0, at);
    const repeated = shown.split(" ").slice(-count).join(" ");
    expect(joined(shown, repeated + whole.slice(at))).toBe(whole);
    expect(joined(`${shown} `, repeated + whole.slice(at))).toBe(whole);
    expect(joined(shown, `… ${repeated}${whole.slice(at)}`)).toBe(whole);
    // In the middle of a word.
    const half = whole.slice(0, at - 3);
    if (count > 1) expect(joined(half, half.slice(-20 * count) + whole.slice(half.length))).toBe(whole);
  });

  it("that starts over loses everything that was shown", () => {
    const whole = `${WORDS} ${WORDS.toUpperCase()} ${WORDS.replaceAll("word", "x")}.`;
    for (let at = 1; at < whole.length; at += 43) expect(joined(whole.slice(0, at), whole)).toBe(whole);
    const long = `${Array.from({ length: 3_000 }, (_, index) => `n${index * 7}`).join(" ")}.`;
    expect(joined(long.slice(0, 15_000), long)).toBe(long);
  });

  it("that starts over in other words stays, as a paragraph of its own", () => {
    const shown = `${WORDS.slice(0, 400)} and th`;
    const other = `${WORDS.slice(0, 300)} and another end.`;
    expect(joined(shown, other)).toBe(`${shown}\n\n${other}`);
  });

  it("that adds nothing leaves the text as it is", () => {
    expect(joined("All done here.", "All done here.")).toBe("All done here.");
    expect(joined("First. All done here.\n", "All done here.")).toBe("First. All done here.\n");
    expect(joined("All done here.", "")).toBe("All done here.");
  });

  it("does not open a code block twice", () => {
    const shown = "Look:\n\n```js\nconst a = 1;\nconst b";
    expect(joined(shown, "```js\nconst b = 2;\n```\n")).toBe(
      "Look:\n\n```js\nconst a = 1;\nconst b = 2;\n```\n",
    );
    expect(joined(shown, " = 2;\n```\n")).toBe("Look:\n\n```js\nconst a = 1;\nconst b = 2;\n```\n");
    expect(joined("```js\nlet x;\n```\nThen", "```js\nlet y;\n```")).toBe(
      "```js\nlet x;\n```\nThen```js\nlet y;\n```",
    );
  });

  it("does not repeat the head of a table", () => {
    const shown = "A table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |";
    expect(joined(shown, "| a | b |\n|---|---|\n| 5 | 6 |\n")).toBe(`${shown}\n| 5 | 6 |\n`);
    expect(joined(`${shown}\n`, "| a | b |\n|---|---|\n| 5 | 6 |\n")).toBe(`${shown}\n| 5 | 6 |\n`);
    expect(joined(shown, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n")).toBe(
      `${shown}\n| 5 | 6 |\n`,
    );
  });

  it("takes blanks for equal, however long they are", () => {
    expect(joined("One\n\nTwo words here\n\n", "Two words  here\nThree")).toBe(
      "One\n\nTwo words here\n\nThree",
    );
    expect(joined("a list\n- one item", "- one item\n- two")).toBe("a list\n- one item\n- two");
  });

  it("is shown at once where it repeats nothing", () => {
    const seam = new Seam("The quick brown fox");
    expect(seam.push(" ")).toBe("");
    expect(seam.push("z")).toBe(" z");
    expect(seam.push("ebra")).toBe("ebra");
  });
});
