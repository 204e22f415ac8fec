import { Lexer, type Token, type Tokens } from "marked";
import { markdownSegments } from "../../protocol/markdown-segments.ts";
import { MARKDOWN_OPTIONS } from "../markdown/math-tokens.ts";

/** A part of an answer to read: a sentence of it, or what is said instead of a table. */
export interface Piece {
  text: string;
  /** Our own words, in the language of the app. */
  own?: true;
}

/** Some engines stop after 15 seconds, so longer sentences are parted. */
const LONGEST = 220;

/** Returns what is read of an answer: its prose by sentences, no code, and of a table what `sayTable` says. */
export function proseOf(
  markdown: string,
  sayTable: (heads: string[], rows: number) => string,
  language: string,
): Piece[] {
  const sentences = new Intl.Segmenter(language, { granularity: "sentence" });
  const pieces: Piece[] = [];
  const add = (text: string) => {
    for (const { segment } of sentences.segment(text.replace(/\s+/g, " ")))
      for (const part of partsOf(segment.trim())) if (/[\p{L}\p{N}]/u.test(part)) pieces.push({ text: part });
  };
  const read = (tokens: Token[]) => {
    for (const token of tokens) {
      if (token.type === "table") {
        const { header, rows } = token as Tokens.Table;
        pieces.push({
          text: sayTable(
            header.map(({ tokens }) => inline(tokens)),
            rows.length,
          ),
          own: true,
        });
      } else if (token.type === "list") for (const item of (token as Tokens.List).items) read(item.tokens);
      else if (token.type === "blockquote") read(token.tokens ?? []);
      else if (!["code", "html", "space", "hr", "def"].includes(token.type)) add(inline([token]));
    }
  };
  for (const { text, plain } of markdownSegments(markdown))
    if (plain) add(text);
    else read(Lexer.lex(text, MARKDOWN_OPTIONS));
  return pieces;
}

/** Returns the words of a line without marks, addresses and numbers of sources. */
function inline(tokens: Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "br") return " ";
      if (token.type === "html") return "";
      if (token.type === "math") return String(token.tex).replace(/[\\{}^_$]/g, " ");
      if ("tokens" in token && token.tokens) return inline(token.tokens);
      return "text" in token ? String(token.text) : "";
    })
    .join("")
    .replace(/\[\^?\d+\]/g, "")
    .replace(/https?:\/\/([^\s/]+)\S*/g, "$1");
}

/** Parts a long sentence at commas or spaces. */
function partsOf(sentence: string): string[] {
  if (sentence.length <= LONGEST) return [sentence];
  const start = sentence.slice(0, LONGEST);
  const comma = Math.max(...[", ", "; ", ": ", "、", "،", "，"].map((mark) => start.lastIndexOf(mark)));
  const at = comma > LONGEST / 3 ? comma + 1 : start.lastIndexOf(" ") + 1 || LONGEST;
  return [sentence.slice(0, at).trim(), ...partsOf(sentence.slice(at).trim())];
}
