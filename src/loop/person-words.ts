import type { Quote } from "../protocol/context.ts";
import type { Message } from "../protocol/messages.ts";
import type { Steps } from "../protocol/slices.ts";
import { tokensIn } from "./estimate.ts";

/** Sentences that set rules, in the languages that people write most here. */
const RULES =
  /\b(?:always|never|must|must not|mustn['’]t|don['’]?t|do not|cannot|can['’]t|only|instead of|no longer|from now on|rule|constraint|require[sd]?|important|remember|prefer|avoid|make sure|ensure|keep|without|should|shall|at most|at least|until|unless|before you|immer|niemals|nie|nicht|kein\w*|nur|muss|müssen|darf|dürfen|soll\w*|bitte|achte|wichtig|merk\w*|ab jetzt|statt|ohne|höchstens|mindestens|toujours|jamais|ne pas|doit|seulement|siempre|nunca|debe|solo|sempre|mai|deve|solamente|nunca|deve|apenas)\b|必须|不要|不能|只能|总是|永远|请勿|絶対|必ず|しないで|항상|절대|всегда|никогда|нельзя|только|должн/iu;
/** Sentences that name something exactly: codes, quoted words, paths, addresses, numbers. */
const FACTS =
  /["“”«»`'‘’「」]|\d|[\w.-]+\/[\w./-]+|\b[A-Z][A-Z0-9_-]{2,}\b|[\w.+-]+@[\w-]+|\b\w+\.\w{1,4}\b/u;

const RULE_RANK = 3;
const FACT_RANK = 2;
const OTHER_RANK = 1;
/** Longer sentences are mostly pasted material. They are kept from both ends. */
const LONGEST_QUOTE = 600;
/** Sentences that are judged in one step. */
const QUOTES_AT_ONCE = 50;

/** Returns what the person wrote in these messages, sentence by sentence, with how long each is worth keeping. */
export function* quotesFrom(messages: readonly Message[]): Steps<Quote[]> {
  const quotes: Quote[] = [];
  for (const text of messages.flatMap(personTexts)) {
    yield;
    for (const sentence of sentencesOf(text)) {
      if (quotes.push({ text: bounded(sentence), rank: rankOf(sentence) }) % QUOTES_AT_ONCE === 0) yield;
    }
  }
  return quotes;
}

/** The texts of a message that the person wrote: all of their own message, and what they sent into a run. */
function personTexts({ role, parts }: Message): string[] {
  return parts.flatMap((part) => {
    if (part.type !== "text" || part.origin === "import" || part.file) return [];
    return role === "user" || part.messageId !== undefined ? [part.text] : [];
  });
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?…])\s+(?=\S)|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function rankOf(sentence: string): number {
  const start = sentence.slice(0, LONGEST_QUOTE);
  if (RULES.test(start)) return RULE_RANK;
  return FACTS.test(start) ? FACT_RANK : OTHER_RANK;
}

function bounded(sentence: string): string {
  if (sentence.length <= LONGEST_QUOTE) return sentence;
  const half = LONGEST_QUOTE / 2;
  return `${sentence.slice(0, half)} […] ${sentence.slice(-half)}`.toWellFormed();
}

/** Shares of the window: rules are kept for as long as there is any room, the rest for as long as it is cheap. */
const RULES_SHARE = 0.2;
const OTHERS_SHARE = 0.05;

/** Returns the quotes that fit, each once, in their order. Rules come before facts before the rest, newer before older. */
export function fitQuotes(quotes: readonly Quote[], window: number): Quote[] {
  const newest = new Map<string, number>();
  for (const [index, { text }] of quotes.entries()) newest.set(text, index);
  const order = [...newest.values()].sort((left, right) => rankAt(right) - rankAt(left) || right - left);
  const kept = new Set<number>();
  let forRules = window * RULES_SHARE;
  let forOthers = window * OTHERS_SHARE;
  for (const index of order) {
    const cost = tokensIn(quotes[index]?.text ?? "") + 2;
    const isRule = rankAt(index) >= RULE_RANK;
    if (cost > (isRule ? forRules : forOthers)) continue;
    if (isRule) forRules -= cost;
    else forOthers -= cost;
    kept.add(index);
  }
  return quotes.filter((_, index) => kept.has(index));

  /** What the conversation began with says what it is about. */
  function rankAt(index: number): number {
    return index === 0 ? RULE_RANK : (quotes[index]?.rank ?? 0);
  }
}
