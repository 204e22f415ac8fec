import { t } from "../text/choosing.ts";

/** What the messages of programs, networks and protocols have in common, the most telling first. */
const KINDS = [
  ["sourceRefused", /\b(?:401|403)\b|unauthori[sz]ed|forbidden|invalid.token/i],
  ["sourceNotFound", /\bENOENT\b|\b404\b|not found/i],
  [
    "sourceUnreachable",
    /\bE(?:CONN|NOTFOUND|AI_AGAIN|HOSTUNREACH|TIMEDOUT)|fetch failed|tim(?:ed|e) ?out|reached/i,
  ],
  ["sourceEnded", /\bexit(?:ed)?\b|\bended\b|\bclosed\b|\bSIG[A-Z]+/i],
] as const;

/** Says in a sentence why a source of tools doesn't work. What the program itself said belongs under Details. */
export function wordsOfProblem(problem: string): string {
  return t(KINDS.find(([, pattern]) => pattern.test(problem))?.[0] ?? "sourceBroken");
}
