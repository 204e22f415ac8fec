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
 * regular expression in which a space is any gap between words and `~` up to forty characters of the same sentence.
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

/** Rules by the first letters of their leading words, two or three. */
export type RuleIndex = ReadonlyMap<string, readonly ReadyRule[]>;

const BETWEEN = "[\\s\"'`*_,:;()\\[\\]-]";
const LETTER = "[^\\s\\d.,;:!?\"'()-]";
const SPAN = "[^.!?\\n]{0,40}?";

/** Makes rules ready for a reading, indexed by how they start. */
export function indexRules(rules: readonly Rule[], reading: Reading): RuleIndex {
  const index = new Map<string, ReadyRule[]>();
  for (const [id, rule] of rules.entries()) {
    const ready: ReadyRule = { ...rule, id, pattern: new RegExp(readingOf(rule, reading), "y") };
    for (const key of new Set(rule.lead.split("|").map((lead) => keyOf(lead, reading)))) {
      const others = index.get(key);
      if (others) others.push(ready);
      else index.set(key, [ready]);
    }
  }
  return index;
}

function readingOf({ lead, rest }: Rule, reading: Reading): string {
  const words = `(?:${foldText(lead)})${foldPattern(rest)}`;
  const source = words.replaceAll("'", "'?").replaceAll("\\p{L}", LETTER);
  if (reading === "squeezed")
    return source.replaceAll("\\b", "").replace(/ \??/g, "").replaceAll("~", ".{0,40}?");
  const folded = reading === "folded" ? source.replaceAll("l", "i") : source;
  return folded
    .replace(/ (\??)/g, (_, optional: string) => `${BETWEEN}{${optional ? 0 : 1},4}`)
    .replaceAll("~", SPAN);
}

/** Folds the words of a pattern like a text, and leaves classes such as `\S` alone. */
function foldPattern(source: string): string {
  return source.replace(/[^\x20-\x7e]+/g, foldText);
}

function keyOf(lead: string, reading: Reading): string {
  const folded = foldText(lead).replace(/['?].*$/, "");
  const letters = reading === "squeezed" ? folded.replaceAll(" ", "") : (folded.split(" ")[0] ?? folded);
  const key = letters.slice(0, 3);
  return reading === "folded" ? key.replaceAll("l", "i") : key;
}
