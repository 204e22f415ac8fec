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

  it("that only repeats adds nothing", () => {
    expect(joined(WORDS, WORDS.slice(-60))).toBe(WORDS);
    expect(joined(WORDS, WORDS)).toBe(WORDS);
  });

  it("that starts over loses everything that was shown", () => {
    const whole = `${WORDS} ${WORDS.toUpperCase()} ${WORDS.replaceAll("word", "x")}.`;
    for (let at = 1; at < whole.length; at += 43) expect(joined(whole.slice(0, at), whole)).toBe(whole);
    const long = `${Array.from({ length: 3_000 }, (_, index) => `n${index * 7}`).join(" ")}.`;
    expect(joined(long.slice(0, 15_000), long)).toBe(long);
  });

  it("that starts over in other words stays, as its own paragraph", () => {
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
    const indented = "1. Look:\n\n   ```js\n   const a = 1;\n   const b";
    expect(joined(indented, "```js\nconst b = 2;")).toBe(`${indented} = 2;`);
    expect(joined("Look at one```js\nlet x;", "```js\nlet y;")).toBe("Look at one```js\nlet x;```js\nlet y;");
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
    expect(joined("All done here.\n\n", "All done here.\n\nMore.")).toBe("All done here.\n\nMore.");
  });

  it("is shown at once where it repeats nothing", () => {
    const seam = new Seam("The quick brown fox");
    expect(seam.push(" ")).toBe("");
    expect(seam.push("z")).toBe(" z");
    expect(seam.push("ebra")).toBe("ebra");
  });
});

describe("a repetition", () => {
  it.each([
    ["three characters", "We eat pie", "pie tastes"],
    ["five bytes", "We eat cakes", "cakes and pie"],
    ["two letters", "So: ==== ab", "==== ab cd"],
    ["the end of a word", "say xabcdefghijk", "abcdefghijk and"],
    ["a single word after a blank", "We eat cookies", " cookies and pie"],
    ["two digits that are all there is", "12", "12 apples"],
    ["signs that are all there is", "+-*/=", "+-*/= is"],
    ["the first half of a period", "Sing: la la la la", "la la la la la"],
  ])("that may be an accident stays: %s", (_, shown, rest) => {
    expect(joined(shown, rest)).toBe(shown + rest);
  });

  it.each([
    ["six bytes", "We eat cakes!", "cakes! More", " More"],
    ["fewer characters of more bytes", "Die Größe", "Größe ist", " ist"],
    ["three letters", "So: === abc", "=== abc de", " de"],
    ["a long end of a word", "say xabcdefghijkl", "abcdefghijkl and", " and"],
    ["a word after the same blank", "We eat cookies ", " cookies and pie", "and pie"],
    ["several words after a blank", "We eat cookies now", " cookies now and", " and"],
    ["a short word that is all there is", "Hi", "Hi there", " there"],
    ["four digits that are all there is", "1234", "1234 apples", " apples"],
    ["words after three dots", "We eat cookies", "... cookies and", " and"],
    ["words after an ellipsis", "We eat cookies", "…cookies and", " and"],
    ["words with the same break after them", "So: many cookies\n", "many cookies\n\nMore", "\nMore"],
    ["words with another break after them", "So: many cookies\n\n", "many cookies\nMore", "More"],
  ])("that is none goes: %s", (_, shown, rest, added) => {
    expect(joined(shown, rest)).toBe(shown + added);
  });

  it("is looked for in the last 4,000 characters", () => {
    const words = (length: number) => {
      const all = Array.from({ length: 1_000 }, (_, index) => `w${index * 7}`).join(" ");
      return `w${all.slice(1, length - 1)}!`;
    };
    const near = words(4_000);
    expect(joined(`Before. ${near}`, `${near} More`)).toBe(`Before. ${near} More`);
    const far = words(4_001);
    expect(joined(`Before. ${far}`, `${far} More`)).toBe(`Before. ${far}${far} More`);
    expect(joined(far, `${far} More`)).toBe(`${far} More`);
  });

  it("of only dots is shown at the end", () => {
    expect(joined("We eat", "..")).toBe("We eat..");
    expect(joined("We eat", "...")).toBe("We eat...");
    expect(joined("We eat", "… more")).toBe("We eat… more");
  });
});

describe("an answer that was started over", () => {
  const shown = "The quick brown fox jumps over the lazy dog and sleeps";

  it("is recognized by forty characters", () => {
    const other = (same: number) => `${shown.slice(0, same)}#other words`;
    expect(joined(shown, other(39))).toBe(shown + other(39));
    expect(joined(shown, other(40))).toBe(`${shown}\n\n${other(40)}`);
    expect(joined(`${shown}\n`, other(40))).toBe(`${shown}\n${other(40)}`);
    expect(joined(`${shown} `, other(40))).toBe(`${shown} \n\n${other(40)}`);
  });

  it("is not where only its middle is repeated", () => {
    const rest = `${shown.slice(4)}#`.replace("sleeps", "sleepy");
    expect(joined(shown, rest)).toBe(shown + rest);
  });
});

describe("an open code block", () => {
  it.each([
    ["with tildes", "~~~py\nx = 10 + 2", "~~~py\nx = 10 + 2\ny = 2", "\ny = 2"],
    ["with a longer fence", "````md\nSome words", "````md\nSome words and", " and"],
    ["whose next line is new", "Look:\n```js\nlet a;\n", "```js\nlet b;", "let b;"],
    ["after a closed one", "```py\nx\n```\nThen:\n```js\nlet a;\n", "```js\nlet b;", "let b;"],
    ["with a sign of another kind in it", "```js\n~~~\nlet a;\n", "```js\nlet b;", "let b;"],
  ])("is not opened again: %s", (_, before, rest, added) => {
    expect(joined(before, rest)).toBe(before + added);
  });

  it.each([
    ["without a language", "Look:\n```\nlet a;\n", "```\nThat was it."],
    ["with another language", "Look:\n```js\nlet a;\n", "```py\nx = 1"],
    ["that is indented code", "Look:\n\n    ```js\nlet a;\n", "```js\nlet b;"],
    ["that begins behind a word", "So:```js\nlet a;\n", "```js\nlet b;"],
    ["that was closed", "```js\nlet a;\n```\n", "```js\nlet b;\n```"],
  ])("is opened again: %s", (_, before, rest) => {
    expect(joined(before, rest)).toBe(before + rest);
  });
});

describe("a table", () => {
  const head = "| name | size |\n|:--|--:|\n";

  it.each([
    ["in which nothing stands yet", `See:\n${head}`, `${head}| 1 | 2 |`, "| 1 | 2 |"],
    ["that is indented", `See:\n  | a |\n  |---|\n  | 1 |\n`, "  | a |\n  |---|\n  | 2 |", "  | 2 |"],
    ["whose rows begin without a bar", `See:\n${head}| 1 | 2 |\n`, `${head}3 | 4 |`, "3 | 4 |"],
    ["that is all there is", `${head}| 1 | 2 |`, `${head}| 3 | 4 |`, "\n| 3 | 4 |"],
  ])("goes on without its head: %s", (_, before, rest, added) => {
    expect(joined(before, rest)).toBe(before + added);
  });

  it.each([
    ["with other columns", `See:\n${head}| 1 | 2 |\n\n`, "| name | color |\n|:--|--:|\n| a | red |"],
    [
      "after the text was started over",
      `The sizes of all of the files here:\n${head}| 1 | 2 |`,
      "The sizes of all of the files there:\n1 m",
    ],
  ])("is not taken for the same one: %s", (_, before, rest) => {
    expect(joined(before, rest)).toBe(before + rest);
  });

  it("that has ended begins again", () => {
    const before = `${head}| 1 | 2 |\n\nThat was the first. Now a second one, which is much longer:\n`;
    expect(joined(before, `${head}| 3 | 4 |`)).toBe(`${before}${head}| 3 | 4 |`);
  });
});
