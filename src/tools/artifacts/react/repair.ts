import type { ArtifactIssue } from "../../../protocol/events.ts";
import { applyEdits, type Edit, placeOf } from "../source.ts";
import { type Problem, problemOf } from "./parse.ts";
import { BRACKET_REPAIRS } from "./repairs-brackets.ts";
import { JSX_REPAIRS } from "./repairs-jsx.ts";
import { MODULE_REPAIRS } from "./repairs-modules.ts";
import { TEXT_REPAIRS } from "./repairs-text.ts";
import { WORD_REPAIRS } from "./repairs-words.ts";

/** The place where the parser stopped, and what is remembered of earlier repairs. */
export interface Site {
  code: string;
  problem: Problem;
  /** The text right from the place on, and right before it. */
  after: string;
  before: string;
  /** Reserved words that were renamed: further uses follow. */
  renamed: Map<string, string>;
}

export interface Repair {
  message: string;
  edits: Edit[];
  /** Called when the parser agreed. */
  accept?(): void;
}

/** Looks at the place where the parser stopped; it can only ever touch code there, never a comment or a string. */
export type Repairer = (site: Site) => Repair[];

/** From the sure to the general: the first that brings the parser further is taken. */
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
  /** What is still wrong. */
  problem: Problem | undefined;
  /** Reserved words that are called something else now. */
  renamed: ReadonlyMap<string, string>;
}

/** Mends code until the parser takes it or nothing helps any more. Each step must bring the parser further. */
export function repairSyntax(original: string): Repaired {
  let code = original;
  let problem = problemOf(code);
  const issues: ArtifactIssue[] = [];
  const renamed = new Map<string, string>();
  for (let round = 0; problem && round < MAX_ROUNDS; round++) {
    const step = nextStep({
      code,
      problem,
      after: code.slice(problem.start),
      before: code.slice(0, problem.start),
      renamed,
    });
    if (!step) break;
    issues.push({ severity: "fixed", message: step.message, ...placeOf(code, problem.start) });
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
