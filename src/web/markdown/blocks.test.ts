import { describe, expect, it } from "vitest";
import { BlockSplitter } from "./blocks.ts";

const TEXT = `# Title

A paragraph with **bold** and \`code\`.

- one
- two

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

The end.`;

describe("the block splitter", () => {
  it("gives headings levels that go down one by one, whole and while they are written", () => {
    const text = "### First\n\n##### Below\n\ntext\n\n### Second\n\n# Third\n\n## Fourth\n";
    const levels = [2, 3, undefined, 2, 2, 3];
    expect(new BlockSplitter().update(text, true).map(({ level }) => level)).toEqual(levels);
    const growing = new BlockSplitter();
    for (let end = 1; end <= text.length; end += 3) growing.update(text.slice(0, end), false);
    expect(growing.update(text, false).map(({ level }) => level)).toEqual(levels);
    expect(growing.update("## Anew", false).map(({ level }) => level)).toEqual([2]);
  });

  it("finds the same blocks in a growing text as in the whole one", () => {
    const whole = new BlockSplitter().update(TEXT, true).map(({ start, source }) => ({ start, source }));
    const growing = new BlockSplitter();
    for (let end = 1; end < TEXT.length; end++) growing.update(TEXT.slice(0, end), false);
    expect(growing.update(TEXT, true).map(({ start, source }) => ({ start, source }))).toEqual(whole);
    expect(whole.map(({ source }) => source.trim().split("\n")[0])).toEqual([
      "# Title",
      "A paragraph with **bold** and `code`.",
      "- one",
      "```ts",
      "| a | b |",
      "The end.",
    ]);
  });

  it("does not change finished blocks", () => {
    const splitter = new BlockSplitter();
    const before = splitter.update("# Title\n\nText\n\nMore", false);
    const after = splitter.update("# Title\n\nText\n\nMore and more", false);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
  });

  it("shows the head of a table, and the address of a link, only when they are known as such", () => {
    const shown = (text: string) =>
      new BlockSplitter().update(text, false).flatMap(({ tokens = [] }) => tokens.map(({ raw }) => raw));
    expect(shown("Text\n\n| a | b |\n| -")).toEqual(["Text", "\n\n"].slice(0, 1));
    expect(shown("| a | b |\n| - | - |\n| 1")).toEqual(["| a | b |\n| - | - |\n| 1"]);
    expect(shown("| a | b |\nis no table")).toEqual(["| a | b |\nis no table"]);
    expect(shown("See [the page](https://exam")).toEqual(["See the page"]);
    expect(shown("See [the page](https://example.com)")).toEqual(["See [the page](https://example.com)"]);
    const [whole] = new BlockSplitter().update("| a | b |", true);
    expect(whole?.tokens?.map(({ raw }) => raw)).toEqual(["| a | b |"]);
  });

  it("shows code before its fence is closed, without parsing it", () => {
    const [block] = new BlockSplitter().update("```python\nprint('**x", false);
    expect(block?.openCode).toEqual({ language: "python", code: "print('**x" });
  });

  it.each([
    ["A *word", "A *word*"],
    ["- *What time is it in", "- *What time is it in*"],
    ["Some _other word", "Some _other word_"],
    ["**Bold**, then *slanted", "**Bold**, then *slanted*"],
    ["A *word* and more", "A *word* and more"],
    ["3 * 4 is", "3 * 4 is"],
    ["- a point", "- a point"],
    ["* a point", "* a point"],
    ["snake_case_name", "snake_case_name"],
  ])("closes emphasis that is still being written: %s", (text, closed) => {
    const [block] = new BlockSplitter().update(text, false);
    expect(block?.tokens?.map(({ raw }) => raw).join("")).toBe(closed);
  });

  it("starts over when the text is replaced", () => {
    const splitter = new BlockSplitter();
    splitter.update("One.\n\nTwo.", false);
    expect(splitter.update("Other.", true).map(({ source }) => source)).toEqual(["Other."]);
  });
});
