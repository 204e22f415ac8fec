import type { Token, Tokens } from "marked";

/** Tags that models write inside of a line. None of them loads or runs anything, and no attribute is kept. */
const NAMES = [
  "b",
  "strong",
  "i",
  "em",
  "u",
  "s",
  "del",
  "ins",
  "sub",
  "sup",
  "kbd",
  "mark",
  "small",
] as const;

/** Words between two such tags. */
export interface TaggedToken extends Tokens.Generic {
  type: "tagged";
  name: (typeof NAMES)[number];
  tokens: Token[];
}

/** Joins each such tag with the one that closes it, and turns `<br>` into a line break. Everything else stays text. */
export function joinTags(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ type }) => type === "html")) return tokens;
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token) break;
    const tag =
      token.type === "html" ? /^<(\w+) ?\/?>$/.exec(token.raw.trim())?.[1]?.toLowerCase() : undefined;
    const name = NAMES.find((known) => known === tag);
    const end = name ? closingOf(name, tokens, at) : -1;
    if (tag === "br") result.push({ type: "br", raw: token.raw });
    else if (name && end !== -1) {
      result.push({ type: "tagged", raw: "", name, tokens: tokens.slice(at + 1, end) } satisfies TaggedToken);
      at = end;
    } else result.push(token);
  }
  return result;
}

/** Nothing is looked for further away. */
const FAR = 200;

function closingOf(name: string, tokens: readonly Token[], from: number): number {
  const near = tokens.slice(from + 1, from + FAR);
  const found = near.findIndex(({ type, raw }) => type === "html" && raw.toLowerCase() === `</${name}>`);
  return found === -1 ? -1 : from + 1 + found;
}
