import { Lexer, type Tokens } from "marked";
import { expect, test } from "vitest";
import { footnotesOf } from "./footnotes.ts";
import { MARKDOWN_OPTIONS } from "./math-tokens.ts";

const paragraphOf = (text: string) => Lexer.lex(text, MARKDOWN_OPTIONS)[0] as Tokens.Paragraph;

test("footnotes on consecutive lines are one each, with the lines that belong to them", () => {
  const notes = footnotesOf(
    paragraphOf("[^1]: See [here](https://example.com),\nor there.\n[^note-b]: Two words."),
  );
  expect(notes.map(({ name, tokens }) => [name, tokens.map(({ raw }) => raw).join("")])).toEqual([
    ["1", "[^1]: See [here](https://example.com),\nor there."],
    ["note-b", "[^note-b]: Two words."],
  ]);
  expect(notes[0]?.tokens.some(({ type }) => type === "link")).toBe(true);
});

test("a paragraph that refers to a footnote is none", () => {
  expect(footnotesOf(paragraphOf("As said[^1]: it works."))).toEqual([]);
});
