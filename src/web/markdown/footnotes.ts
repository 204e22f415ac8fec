import { Lexer, type Token, type Tokens } from "marked";
import { MARKDOWN_OPTIONS } from "./math-tokens.ts";

const BEGINS = /^\[\^([\w-]{1,20})\]:/;

/** A footnote at the end of an answer. */
export interface Footnote {
  name: string;
  tokens: Token[];
}

/** Returns the footnotes that a paragraph is made of: the parser takes those on consecutive lines for one. None if it is another one. */
export function footnotesOf({ text }: Tokens.Paragraph): Footnote[] {
  if (!BEGINS.test(text)) return [];
  return text.split(/\n(?=\[\^[\w-]{1,20}\]:)/).map((note) => ({
    name: BEGINS.exec(note)?.[1] ?? "",
    tokens: Lexer.lexInline(note, MARKDOWN_OPTIONS),
  }));
}
