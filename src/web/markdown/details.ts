import type { TextBlock } from "./blocks.ts";
import { decodeEntities } from "./entities.ts";

const OPENS = /^<details(?: open)?>\s*(?:<summary>([\s\S]{0,2000}?)<\/summary>)?([\s\S]*)$/i;
const CLOSES = /^([\s\S]*)<\/details>\s*$/i;

/** Puts what stands between `<details>` and `</details>` into one block. No other HTML has an effect. */
export function foldDetails(blocks: TextBlock[]): TextBlock[] {
  if (!blocks.some(isOpening)) return blocks;
  const result: TextBlock[] = [];
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    if (!block) break;
    const [, summary = "", rest = ""] = (isOpening(block) && OPENS.exec(block.source.trim())) || [];
    if (!isOpening(block)) {
      result.push(block);
      continue;
    }
    const whole = CLOSES.exec(rest);
    const inside: TextBlock[] = [];
    const text = (whole?.[1] ?? rest).trim();
    if (text !== "") inside.push(plain(block.start + 1, text));
    if (!whole)
      for (at++; at < blocks.length; at++) {
        const next = blocks[at];
        if (!next || (isHtml(next) && CLOSES.test(next.source))) break;
        inside.push(next);
      }
    const title = decodeEntities(summary.replace(/<[^>]*>/g, "").trim());
    result.push({
      start: block.start,
      source: block.source,
      details: { summary: title || "…", blocks: inside },
    });
  }
  return result;
}

function plain(start: number, text: string): TextBlock {
  return { start, source: text, tokens: [{ type: "paragraph", raw: text, text }] };
}

function isHtml({ tokens }: TextBlock): boolean {
  return tokens?.length === 1 && tokens[0]?.type === "html";
}

function isOpening(block: TextBlock): boolean {
  return block.source.startsWith("<details") && isHtml(block);
}
