import type { ArtifactIssue } from "../../../protocol/events.ts";
import { applyEdits, placeOf } from "../source.ts";
import { type Problem, problemOf } from "./parse.ts";
import type { Repairer, Site } from "./repairer.ts";
import { BRACKET_REPAIRS } from "./repairs-brackets.ts";
import { JSX_REPAIRS } from "./repairs-jsx.ts";
import { MODULE_REPAIRS } from "./repairs-modules.ts";
import { TEXT_REPAIRS } from "./repairs-text.ts";
import { WORD_REPAIRS } from "./repairs-words.ts";

/** From specific to general. The first repair that gets the parser further is applied. */
const REPAIRERS: readonly Repairer[] = [
  ...MODULE_REPAIRS,
  ...TEXT_REPAIRS,
  ...WORD_REPAIRS,
  ...JSX_REPAIRS,
  ...BRACKET_REPAIRS,
];

const MAX_ROUNDS = 60;

export interface Repaired {
  code: string;
  issues: ArtifactIssue[];
  /** The syntax error that is left, if any. */
  problem: Problem | undefined;
  /** Reserved words and their new names. */
  renamed: ReadonlyMap<string, string>;
}

/** Repairs code until it parses or no repair helps. Each step must get the parser further. */
export function repairSyntax(original: string): Repaired {
  let code = original;
  let problem = problemOf(code);
  const issues: ArtifactIssue[] = [];
  const renamed = new Map<string, string>();
  for (let round = 0; problem && round < MAX_ROUNDS; round++) {
    const { start } = problem;
    const step = nextStep({ code, problem, after: code.slice(start), before: code.slice(0, start), renamed });
    if (!step) break;
    issues.push({ severity: "fixed", message: step.message, ...placeOf(code, start) });
    ({ code, problem } = step);
  }
  return { code, issues, problem, renamed };
}

function nextStep(site: Site): { code: string; problem: Problem | undefined; message: string } | undefined {
  const left = site.code.length - site.problem.start;
  for (const repairer of REPAIRERS) {
    for (const { message, edits, accept } of repairer(site)) {
      const code = applyEdits(site.code, edits);
      const problem = problemOf(code);
      if (problem && code.length - problem.start >= left) continue;
      accept?.();
      return { code, problem, message };
    }
  }
  return undefined;
}
