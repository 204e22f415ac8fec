import { foldText, type Reading } from "../views.ts";
import { conceptWords } from "./concepts.ts";
import { addWords, createLexicon, type Lexicon } from "./lexicon.ts";

export type Label =
  | "instruction_override"
  | "prompt_leak"
  | "persona"
  | "no_rules"
  | "obedience"
  | "no_warnings"
  | "stay_in_role"
  | "two_answers"
  | "play"
  | "authority"
  | "addressed"
  | "spoken_to"
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
  /** True: gives the reader a part to play; after something else was said, that changes the subject. */
  assigns?: boolean;
}

const BETWEEN = '[ \\n",:;-]';
// Nothing that may stand between words: only then is there one way to divide a text, and no time is lost on others.
const WORD = '[^ \\n",:;!?-]{1,40}';
const LETTER = '[^\\x20\\n\\d.,;:!?"-]';
const MANY: Readonly<Record<string, string>> = { "*": "{0,20}", "+": "{1,20}" };
const SPAN = "[^.!?\\n]{0,40}?";

/** A text as rules read it: one space, one line break, one kind of quotation mark, and no marks of emphasis. */
export function evenText(text: string): string {
  return text
    .replace(/[\t\v\f\r\u00a0*_`()[\]]+/g, " ")
    .replace(/ *\n[ \n]*/g, "\n")
    .replace(/ {2,}/g, " ")
    .replace(/(^|[ \n",:;-])'+|'+(?=[ \n",:;.!?-]|$)/g, '$1"');
}

/** Makes the rules and the concepts ready for a reading. */
export function readyLexicon(rules: readonly Rule[], reading: Reading): Lexicon {
  const lexicon = createLexicon();
  // Each pattern is made once: the engine stops optimising when all of them together grow too large.
  const made = new Map<string, RegExp>();
  for (const rule of rules) {
    const source = readingOf(rule.rest, reading);
    const rest = made.get(source) ?? new RegExp(source, "y");
    made.set(source, rest);
    const ready = { rule, rest };
    for (const lead of rule.lead.split("|"))
      addWords(lexicon, lead, reading, (end) => {
        end.rules ??= [];
        end.rules.push(ready);
      });
  }
  for (const { words, stem, bits } of conceptWords())
    addWords(lexicon, words, reading, (end) => {
      if (stem) end.stem |= bits;
      else end.word |= bits;
    });
  return lexicon;
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
  const folded = reading === "folded" ? source.replaceAll("l", "i") : source;
  return folded
    .replace(/ (\??)/g, (_, optional: string) => `${BETWEEN}{${optional ? 0 : 1},3}`)
    .replaceAll("§", WORD)
    .replaceAll("~", SPAN);
}

/** Folds the words of a pattern like a text, and leaves classes such as `\S` alone. */
function foldPattern(source: string): string {
  return source.replace(/[^\x20-\x7e]+/g, foldText);
}
