import { wantsYear } from "./rewrite-advice.ts";

const MAX_CHARACTERS = 200;

const PREFIX =
  /^(?:(?:the\s+)?(?:rewritten|optimi[sz]ed|improved|better|final|new|web)?\s*(?:search\s*)?(?:query|search|rewrite|rewritten|output|answer|result|keywords)(?:\s+is)?\s*(?:[:=]|->|→|=>)|(?:->|→|=>|[-*•>]|\d+[.)])(?=\s))\s*/i;
const QUOTES = /^["'`“”„‘’«»*_]+|["'`“”„‘’«»*_]+$/g;

/** How a model begins when it does something else than it was asked. */
const CHATTER =
  /^(?:sure|certainly|of course|okay|ok|here(?:'s|’s| is| are)|i(?:'m|’m| am| can| cannot| can't| can’t| will| do| don't)|sorry|as an|unfortunately|apologies|hello|the (?:weather|answer|latest) (?:is|are)|yes|no)\b/i;

const COMMON =
  /^(?:the|and|for|what|who|how|why|when|where|which|can|could|you|please|tell|about|are|was|does|did|is|of|to|in|on|me|a|an|i|it)$/i;

/** Returns the query in a model's answer, or undefined if there is none or it equals the original. */
export function tidyRewrite(answer: string, original: string, year: number): string | undefined {
  const [line] = linesOf(answer);
  if (line === undefined || !isQuery(line, original)) return undefined;
  const query = withYear(line, original, year);
  return query.toLowerCase() === bare(original).toLowerCase() ? undefined : query;
}

/** The lines of an answer, without reasoning, fences and introductory lines. */
function linesOf(answer: string): string[] {
  return answer
    .slice(0, 4_000)
    .replace(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, "")
    .replace(/^\s*```\w*\s*$/gm, "")
    .split(/\r?\n/)
    .map(bare)
    .filter((line) => line !== "" && !line.endsWith(":"));
}

/** Removes prefixes, quotes and the final punctuation. */
function bare(line: string): string {
  let text = line.replace(/\s+/g, " ").trim();
  // `Query: "Rewritten: weather NYC"` has more than one layer.
  for (let layer = 0; layer < 4; layer++) {
    const inner = text.replace(PREFIX, "").replace(QUOTES, "").trim();
    if (inner === text) break;
    text = inner;
  }
  return text.replace(/(?<=[\p{L}\p{N}])[.!?]$/u, "");
}

/** A valid query is not much longer than the original and shares a word with it. */
function isQuery(text: string, original: string): boolean {
  if (text.length > Math.min(MAX_CHARACTERS, original.length * 2 + 40)) return false;
  if (/[\p{Cc}\uFFFD]|https?:\/\/|<\/?\w/iu.test(text) || CHATTER.test(text)) return false;
  const asked = wordsOf(original);
  return wordsOf(text).some((word) => asked.some((other) => alike(word, other)));
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.test(word));
}

function alike(word: string, other: string): boolean {
  const length = Math.min(4, word.length, other.length);
  return word === other || (length >= 2 && word.slice(0, length) === other.slice(0, length));
}

/** Puts in the current year. Models tend to use the year of their training data. */
function withYear(query: string, original: string, year: number): string {
  if (!wantsYear(original)) return query;
  const dated = query.replace(/\b20\d\d\b/g, String(year));
  return dated === query && !query.includes(String(year)) ? `${query} ${year}` : dated;
}
