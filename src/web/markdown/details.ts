import { Lexer } from "marked";
import type { TextBlock } from "./blocks.ts";
import { decodeEntities } from "./entities.ts";
import { MARKDOWN_OPTIONS } from "./math-tokens.ts";

const TAG = /<(\/?)details(?: open)?>/i;
const OPENS = /^<details(?: open)?>/i;
const SUMMARY = /^\s*<summary>([\s\S]{0,2000}?)<\/summary>/i;

/** Puts what is between `<details>` and `</details>` into one block, even if one appears in another. */
export function foldDetails(blocks: TextBlock[]): TextBlock[] {
  return blocks.some(isOpening) ? fold([...blocks], false) : blocks;
}

/** Takes blocks from the list until one closes what is open. */
function fold(rest: TextBlock[], isInside: boolean): TextBlock[] {
  const result: TextBlock[] = [];
  for (let block = rest.shift(); block; block = rest.shift()) {
    const { start, source } = block;
    const tag = isHtml(block) && (isInside || isOpening(block)) ? TAG.exec(source) : null;
    if (!tag) {
      result.push(block);
      continue;
    }
    const end = tag.index + tag[0].length;
    const before = source.slice(0, tag.index);
    const after = source.slice(end);
    const summary = tag[1] === "" ? SUMMARY.exec(after) : null;
    const left = after.slice(summary?.[0].length ?? 0);
    if (before.trim() !== "") result.push(parsed(start, before));
    if (TAG.test(left)) rest.unshift({ ...block, start: start + end, source: left });
    else if (left.trim() !== "") rest.unshift(parsed(start + end, left));
    if (tag[1] !== "") return result;
    const title = decodeEntities(summary?.[1]?.replace(/<[^>]*>/g, "").trim() ?? "");
    const inside = fold(rest, true);
    result.push({ start: start + tag.index, source, details: { summary: title || "…", blocks: inside } });
  }
  return result;
}

/** Words beside a tag. The parser takes all of it for HTML. */
function parsed(start: number, text: string): TextBlock {
  return { start, source: text, tokens: Lexer.lex(text.trim(), MARKDOWN_OPTIONS) };
}

function isHtml({ tokens }: TextBlock): boolean {
  return tokens?.length === 1 && tokens[0]?.type === "html";
}

function isOpening(block: TextBlock): boolean {
  return OPENS.test(block.source) && isHtml(block);
}
