import type { Reading, View } from "../views.ts";
import { doubtAt } from "./doubt.ts";
import type { Lexicon } from "./lexicon.ts";
import { matchWords } from "./match.ts";
import { SCRIPTS, TAGS } from "./patterns.ts";
import { readingsOf } from "./readings.ts";
import { type Rule, readyLexicon } from "./rule.ts";
import { INDIRECT, SWITCH } from "./rules-indirect.ts";
import { INDIRECT_LANGUAGES } from "./rules-indirect-languages.ts";
import { LANGUAGES } from "./rules-languages.ts";
import { NO_RULES } from "./rules-lawless.ts";
import { LEAK, OVERRIDE } from "./rules-override.ts";
import { PERSONA } from "./rules-persona.ts";
import { PLAY } from "./rules-play.ts";
import { type Finding, type Hit, toFinding, worseOf } from "./score.ts";
import { vocabularyOf, wordsApart } from "./segment.ts";

const RULES: readonly Rule[] = [
  ...OVERRIDE,
  ...LEAK,
  ...PERSONA,
  ...NO_RULES,
  ...PLAY,
  ...INDIRECT,
  ...SWITCH,
  ...LANGUAGES,
  ...INDIRECT_LANGUAGES,
];
const PATTERNS = Map.groupBy([...TAGS, ...SCRIPTS], ({ needs }) => needs);
const LEXICONS = new Map<Reading, Lexicon>();

/** Made when first needed: most texts have only one reading, and starting the program needs none. */
function lexiconFor(reading: Reading): Lexicon {
  const lexicon = LEXICONS.get(reading) ?? readyLexicon(RULES, reading);
  LEXICONS.set(reading, lexicon);
  return lexicon;
}

/** What the injection detector thinks of a text: a signal, not a proof. Linear in the length of the text. */
export function scan(text: string): Finding {
  let worst: Finding = { flagged: false, score: 0, labels: [] };
  for (const view of readingsOf(text)) {
    worst = worseOf(worst, scanView(view.reading === "squeezed" ? withGaps(view) : view));
  }
  return worst;
}

let vocabulary: Lexicon | undefined;

function withGaps(view: View): View {
  vocabulary ??= vocabularyOf(RULES);
  return { name: view.name, reading: "words", text: wordsApart(view.text, vocabulary) };
}

function scanView(view: View): Finding {
  return toFinding(hitsOf(view), view);
}

function hitsOf(view: View): Hit[] {
  const hits: Hit[] = [];
  matchWords(view.text, lexiconFor(view.reading), hits);
  matchPatterns(view.text, hits);
  return hits;
}

function matchPatterns(text: string, hits: Hit[]): void {
  for (const [needs, patterns] of PATTERNS) {
    if (!needs.test(text)) continue;
    for (const one of patterns) {
      const at = text.search(one.pattern);
      if (at < 0) continue;
      hits.push({ label: one.label, feature: one, at, weight: one.weight * doubtAt(text, at, false) });
    }
  }
}
