import { contextFactor } from "./context.ts";
import { labelNamed } from "./labels.ts";
import { foldPattern } from "./phrases.ts";
import type { Hit } from "./score.ts";
import GROUPS from "./words/patterns.json" with { type: "json" };

/** Matches tags of model formats, hidden comments and phrases in scripts without spaces: what no leading word finds. */
export function matchPatterns(text: string, hits: Hit[]): void {
  for (const { needs, patterns } of compiled()) {
    if (!needs.test(text)) continue;
    for (const rule of patterns) {
      const at = text.search(rule.pattern);
      if (at < 0) continue;
      hits.push({ label: rule.label, rule, at, weight: rule.weight * contextFactor(text, at, false) });
    }
  }
}

type PatternGroup = ReturnType<typeof compile>;
let groups: PatternGroup[] | undefined;

function compiled(): PatternGroup[] {
  groups ??= GROUPS.map(compile);
  return groups;
}

/** Patterns of a group are tried only in a text that matches `needs`. */
function compile({ needs, patterns }: (typeof GROUPS)[number]) {
  return {
    needs: new RegExp(needs),
    patterns: patterns.map(({ label, weight, pattern, flags }: PatternEntry) => ({
      label: labelNamed(label),
      weight,
      pattern: new RegExp(foldPattern(pattern), flags),
    })),
  };
}

interface PatternEntry {
  label: string;
  weight: number;
  pattern: string;
  flags?: string;
}
