import { foldText, type Reading } from "../views.ts";

export type Label =
  | "instruction_override"
  | "prompt_leak"
  | "persona"
  | "no_rules"
  | "role_tag"
  | "task_switch"
  | "forced_output"
  | "coercion"
  | "assistant_addressed"
  | "exfiltration"
  | "concealment"
  | "tool_call_text";

/**
 * One feature of an attack. `lead` are the words it may start with, by which it is found quickly, `rest` is what follows, as a
 * regular expression in which a space is any gap between words, `§` a word and `~` up to forty characters of the same sentence.
 */
export interface Rule {
  label: Label;
  weight: number;
  lead: string;
  rest: string;
  /** True: an order to the reader; weaker where the sentence says that somebody else does it. */
  order?: boolean;
}

/** A rule made ready for one reading of a text. */
export interface ReadyRule extends Rule {
  id: number;
  pattern: RegExp;
}

/** Letters by which a rule is looked up. */
export const KEY_LENGTH = 4;

/** Rules by the first letters of their leading words. */
export type RuleIndex = ReadonlyMap<string, readonly ReadyRule[]>;

const BETWEEN = "[\\s\"'`*_,:;()\\[\\]-]";
// Nothing that may stand between words: only then is there one way to divide a text, and no time is lost on others.
const WORD = "[^\\s\"'`*_,:;()\\[\\]!?-]{1,40}";
const LETTER = "[^\\s\\d.,;:!?\"'()-]";
const MANY: Readonly<Record<string, string>> = { "*": "{0,20}", "+": "{1,20}" };
const SPAN = "[^.!?\\n]{0,40}?";

/** Makes rules ready for a reading, indexed by how they start. */
export function indexRules(rules: readonly Rule[], reading: Reading): RuleIndex {
  const index = new Map<string, ReadyRule[]>();
  for (const [id, rule] of rules.entries()) {
    const ready: ReadyRule = { ...rule, id, pattern: new RegExp(readingOf(rule, reading), "y") };
    for (const key of new Set(rule.lead.split("|").flatMap((lead) => keysOf(lead, reading)))) {
      const others = index.get(key);
      if (others) others.push(ready);
      else index.set(key, [ready]);
    }
  }
  return index;
}

function readingOf({ lead, rest }: Rule, reading: Reading): string {
  const words = `(?:${foldText(lead)})${foldPattern(rest)}`;
  const source = words
    .replaceAll("'", "'?")
    .replace(/\\p\{L\}([*+]?)/g, (_, many: string) => LETTER + (MANY[many] ?? ""));
  if (reading === "squeezed") return squeezed(source);
  const folded = reading === "folded" ? source.replaceAll("l", "i") : source;
  return folded
    .replace(/ (\??)/g, (_, optional: string) => `${BETWEEN}{${optional ? 0 : 1},4}`)
    .replaceAll("§", WORD)
    .replaceAll("~", SPAN);
}

/** Without gaps nobody knows where a word ends, so that so many words are so many letters. */
function squeezed(source: string): string {
  return source
    .replace(
      /\(\?: ?§ ?\)(?:\?|\{\d+,(\d+)\})\??/g,
      (_, most = "1") => `.{0,${Math.min(60, 8 * Number(most))}}?`,
    )
    .replaceAll("§", ".{1,12}?")
    .replaceAll("\\b", "")
    .replace(/ \??/g, "")
    .replaceAll("~", ".{0,40}?");
}

/** Folds the words of a pattern like a text, and leaves classes such as `\S` alone. */
function foldPattern(source: string): string {
  return source.replace(/[^\x20-\x7e]+/g, foldText);
}

/** How a leading word is looked up: its first letters, or all of it where it is short. */
function keysOf(lead: string, reading: Reading): string[] {
  const folded = reading === "folded" ? foldText(lead).replaceAll("l", "i") : foldText(lead);
  if (reading === "squeezed") return [folded.replace(/[^\p{L}\p{N}]/gu, "").slice(0, KEY_LENGTH)];
  const [word = "", rest = ""] = folded.split(/[^\p{L}\p{N}]/u);
  const keys = [word.slice(0, KEY_LENGTH)];
  // The apostrophe may be left out: don't, dont.
  if (folded.charAt(word.length) === "'") keys.push((word + rest).slice(0, KEY_LENGTH));
  return keys;
}
