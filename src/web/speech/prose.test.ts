import { describe, expect, it } from "vitest";
import { languageOf } from "./language-of.ts";
import { proseOf } from "./prose.ts";

const read = (markdown: string) =>
  proseOf(markdown, (heads, rows) => `Table ${heads.join("/")} ${rows}`, "en").map(({ text }) => text);

describe("proseOf", () => {
  it("reads prose by sentences, without marks, addresses and numbers of sources", () => {
    expect(
      read(
        "# A **plan**\n\nIt is `ready`. See [the page](https://example.com/a) [1].\n\n- One\n- Two\n\n> Said.",
      ),
    ).toEqual(["A plan", "It is ready.", "See the page .", "One", "Two", "Said."]);
  });

  it("leaves out code, and announces a table in one sentence", () => {
    const code = "```js\nconst secret = 1;\n```";
    const table = "| City | Time |\n| --- | --- |\n| Rome | 1 |\n| Oslo | 2 |";
    expect(read(`Before.\n\n${code}\n\n${table}\n\nAfter.`)).toEqual([
      "Before.",
      "Table City/Time 2",
      "After.",
    ]);
  });

  it("parts a sentence that is too long for some engines, and loses no word", () => {
    const long = Array.from({ length: 120 }, (_, index) => `word${index}`).join(" ");
    const parts = read(long);
    expect(parts.length).toBeGreaterThan(2);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(220);
    expect(parts.join(" ")).toBe(long);
  });
});

describe("languageOf", () => {
  it.each([
    ["The answer is that you can go there with the train.", "en"],
    ["Die Antwort ist, dass man mit dem Zug fährt und das nicht weit ist.", "de"],
    ["La réponse est dans le livre et pour vous c’est une chance.", "fr"],
    ["El tren es para los que van por la tarde y las noches con prisa.", "es"],
    ["O trem é para os que não vão com pressa e a da tarde em dia.", "pt"],
    ["東京の時刻は三時です。", "ja"],
    ["东京现在是三点。", "zh"],
    ["الساعة الثالثة في طوكيو", "ar"],
  ])("tells the language of %s", (text, language) => {
    expect(languageOf(text)).toBe(language);
  });

  it("does not guess from a few words", () => {
    expect(languageOf("42 km")).toBeUndefined();
    expect(languageOf("React, Vite")).toBeUndefined();
  });
});
