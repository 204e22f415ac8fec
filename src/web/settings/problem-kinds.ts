import { t } from "../text/choosing.ts";

/** What the messages of programs, networks and protocols have in common, the most telling first. */
const KINDS = [
  ["sourceNotDescription", /document is (?:neither|not OpenAPI)|document cannot be read/i],
  ["sourceNeedsBase", /\bbaseUrl\b/],
  ["sourceRefused", /\b(?:401|403)\b|unauthori[sz]ed|forbidden|invalid.token|client registration/i],
  ["sourceNotFound", /\bENOENT\b|there is no program|\b404\b|not found/i],
  [
    "sourceUnreachable",
    /\bE(?:CONN|NOTFOUND|AI_AGAIN|HOSTUNREACH|TIMEDOUT)|fetch failed|tim(?:ed|e) ?out|reached/i,
  ],
  ["sourceEnded", /\bexit(?:ed)?\b|\bended\b|\bclosed\b|\bSIG[A-Z]+/i],
] as const;

/** Says in a sentence why a source of tools doesn't work. What the program itself said belongs under Details. */
export function wordsOfProblem(problem: string): string {
  return t(kindOf(problem) ?? "sourceBroken");
}

/** Says in two words that a source doesn't work. */
export function stateOfProblem(problem: string): string {
  return t(kindOf(problem) === "sourceUnreachable" ? "stateUnavailable" : "stateFailed");
}

function kindOf(problem: string) {
  return KINDS.find(([, pattern]) => pattern.test(problem))?.[0];
}
