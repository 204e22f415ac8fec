import type { Steps } from "../../protocol/slices.ts";
import { foldText, type MatchMode } from "../text-variants.ts";
import { conceptWords } from "./concepts.ts";
import { type Label, labelNamed } from "./labels.ts";
import { addWords, createTrie, type WordTrie } from "./match-words.ts";
import INDIRECT from "./words/indirect.json" with { type: "json" };
import INDIRECT_OTHER_LANGUAGES from "./words/indirect-other-languages.json" with { type: "json" };
import NO_RULES from "./words/no-rules.json" with { type: "json" };
import OTHER_LANGUAGES from "./words/other-languages.json" with { type: "json" };
import OVERRIDE from "./words/override.json" with { type: "json" };
import PERSONA from "./words/persona.json" with { type: "json" };
import ROLE_PLAY from "./words/role-play.json" with { type: "json" };
import TASK_SWITCH from "./words/task-switch.json" with { type: "json" };

/**
 * A phrase that attacks use. `lead` lists the words it may start with, by which it is found quickly. `rest` is what
 * follows, as a regular expression in which a space is any gap between words, `§` a word and `~` up to 40 characters of
 * the same sentence.
 */
export interface PhraseRule {
  label: Label;
  weight: number;
  lead: string;
  rest: string;
  /** An order to the reader. It weighs less where the sentence says that somebody else does it. */
  imperative?: boolean;
  /** Gives the reader a role. After other text, that also changes the subject. */
  assignsRole?: boolean;
}

/** A data file: its rules, and the phrases that they share as `{{name}}`. */
interface RuleFile {
  phrases: Readonly<Record<string, string>>;
  rules: readonly (Omit<PhraseRule, "label"> & { label: string })[];
}

const FILES: readonly RuleFile[] = [
  OVERRIDE,
  PERSONA,
  NO_RULES,
  ROLE_PLAY,
  INDIRECT,
  TASK_SWITCH,
  OTHER_LANGUAGES,
  INDIRECT_OTHER_LANGUAGES,
];

/** Reads the phrase rules of all data files. */
export function readPhraseRules(): PhraseRule[] {
  return FILES.flatMap(({ phrases, rules }) => {
    const expand = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => phrases[name] ?? "");
    return rules.map((rule) => ({
      ...rule,
      label: labelNamed(rule.label),
      lead: expand(rule.lead),
      rest: expand(rule.rest),
    }));
  });
}

const GAP = '[ \\n",:;-]';
// Excludes every character of a gap: then a text splits in only one way, and matching does not backtrack.
const WORD = '[^ \\n",:;!?-]{1,40}';
const LETTER = '[^\\x20\\n\\d.,;:!?"-]';
const REPEAT: Readonly<Record<string, string>> = { "*": "{0,20}", "+": "{1,20}" };
const SPAN = "[^.!?\\n]{0,40}?";

/** Builds the trie of all rules and concepts for one match mode. */
export function* buildTrie(rules: readonly PhraseRule[], mode: MatchMode): Steps<WordTrie> {
  const trie = createTrie();
  // Equal patterns are compiled once: V8 stops optimizing when all of them together grow too large.
  const compiled = new Map<string, RegExp>();
  for (const rule of rules) {
    yield;
    const source = patternFor(rule.rest, mode);
    const rest = compiled.get(source) ?? new RegExp(source, "y");
    compiled.set(source, rest);
    for (const lead of rule.lead.split("|"))
      addWords(trie, lead, mode, (end) => {
        end.rules ??= [];
        end.rules.push({ rule, rest });
      });
  }
  for (const { words, stem, mask } of conceptWords()) {
    yield;
    addWords(trie, words, mode, (end) => {
      if (stem) end.stem |= mask;
      else end.word |= mask;
    });
  }
  return trie;
}

function patternFor(rest: string, mode: MatchMode): string {
  const source = foldPattern(rest)
    // Matches the gap before several words once: `(?: a| b)` becomes `(?: (?:a|b))`.
    .replace(
      /\(\?:( [^()|]+(?:\| [^()|]+)+)\)/g,
      (_, words: string) => `(?: (?:${words.slice(1).replaceAll("| ", "|")}))`,
    )
    .replaceAll("'", "'?")
    .replace(/\\p\{L\}([*+]?)/g, (_, repeat: string) => LETTER + (REPEAT[repeat] ?? ""));
  const merged = mode === "merged" ? source.replaceAll("l", "i") : source;
  return merged
    .replace(/ (\??)/g, (_, optional: string) => `${GAP}{${optional ? 0 : 1},3}`)
    .replaceAll("§", WORD)
    .replaceAll("~", SPAN);
}

/** Folds the words of a pattern like a text, but not classes such as `\S`. */
export function foldPattern(source: string): string {
  return source.replace(/[^\x20-\x7e]+/g, foldText);
}
