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

/** A rule made ready for one reading of a text, with those of its leading words that start alike. */
export interface ReadyRule {
  rule: Rule;
  /** Any of the leads: most places are dismissed by it. */
  gate: RegExp;
  leads: readonly RegExp[];
  rest: RegExp;
}

/** Letters by which a rule is looked up. */
export const KEY_LENGTH = 4;

/** Rules by the first letters of their leading words. */
export type RuleIndex = ReadonlyMap<string, readonly ReadyRule[]>;

const BETWEEN = '[ \\n",:;-]';
// Nothing that may stand between words: only then is there one way to divide a text, and no time is lost on others.
const WORD = '[^ \\n",:;!?-]{1,40}';
const LETTER = '[^\\x20\\n\\d.,;:!?"-]';
const MANY: Readonly<Record<string, string>> = { "*": "{0,20}", "+": "{1,20}" };
const SPAN = "[^.!?\\n]{0,40}?";

/** A text as rules read it: one space, one line break, one kind of quotation mark, and no marks of emphasis. */
export function evenText(text: string): string {
  return text
    .replace(/[\s*_`()[\]]+/g, (gap) => (gap.includes("\n") ? "\n" : " "))
    .replace(/(^|[ \n",:;-])'+|'+(?=[ \n",:;.!?-]|$)/g, '$1"');
}

/** Makes rules ready for a reading, indexed by how they start. */
export function indexRules(rules: readonly Rule[], reading: Reading): RuleIndex {
  const index = new Map<string, ReadyRule[]>();
  // Small patterns, each made once: the engine stops optimising when all of them together grow too large.
  const made = new Map<string, RegExp>();
  const patternOf = (source: string) => {
    const known = made.get(source) ?? new RegExp(source, "y");
    made.set(source, known);
    return known;
  };
  for (const rule of rules) {
    const rest = patternOf(readingOf(rule.rest, reading));
    const leads = Map.groupBy(
      rule.lead.split("|").flatMap((lead) => keysOf(lead, reading).map((key) => ({ key, lead }))),
      ({ key }) => key,
    );
    for (const [key, alike] of leads) {
      const sources = alike.map(({ lead }) => readingOf(foldText(lead), reading));
      const gate = patternOf(sources.join("|"));
      index.set(key, [...(index.get(key) ?? []), { rule, gate, leads: sources.map(patternOf), rest }]);
    }
  }
  return index;
}

/** Whether a rule holds at this place of a text. */
export function matchesAt({ gate, leads, rest }: ReadyRule, text: string, at: number): boolean {
  gate.lastIndex = at;
  if (!gate.test(text)) return false;
  for (const lead of leads) {
    lead.lastIndex = at;
    if (!lead.test(text)) continue;
    rest.lastIndex = lead.lastIndex;
    if (rest.test(text)) return true;
  }
  return false;
}

function readingOf(pattern: string, reading: Reading): string {
  const source = foldPattern(pattern)
    // The gap before each of several words is looked for once: `(?: a| b)` becomes `(?: (?:a|b))`.
    .replace(
      /\(\?:( [^()|]+(?:\| [^()|]+)+)\)/g,
      (_, words: string) => `(?: (?:${words.slice(1).replaceAll("| ", "|")}))`,
    )
    .replaceAll("'", "'?")
    .replace(/\\p\{L\}([*+]?)/g, (_, many: string) => LETTER + (MANY[many] ?? ""));
  if (reading === "squeezed") return squeezed(source);
  const folded = reading === "folded" ? source.replaceAll("l", "i") : source;
  return folded
    .replace(/ (\??)/g, (_, optional: string) => `${BETWEEN}{${optional ? 0 : 1},3}`)
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
