/** The codes of warnings that say why an answer ended before its end. */
const END_WARNINGS: ReadonlySet<string> = new Set([
  "OUTPUT_CUT",
  "OUTPUT_LIMIT",
  "TOKEN_LIMIT",
  "TIME_LIMIT",
  "COST_LIMIT",
  "ITERATION_LIMIT",
  "TOOL_LIMIT",
  "CONTENT_FILTER",
]);

/** Returns true for a warning that says why an answer ended before its end. */
export function isEndWarning({ code }: { code: string }): boolean {
  return END_WARNINGS.has(code);
}
