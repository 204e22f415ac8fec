export type RewriteAdvice =
  | { rewrite: true; reason: "opener" | "temporal" | "sentence" }
  | { rewrite: false; reason: "empty" | "url" | "code" | "operators" | "short" | "keywords" };

const FEW_WORDS = 3;

const URL_LIKE = /\b(?:https?:\/\/|ftp:\/\/|www\.)\S|^\S+\.[a-z]{2,}(?:\/\S*)?$/i;

/** Patterns of code and error messages, which rarely occur in questions. */
const CODE = [
  /`/,
  /[{}]|\[\]|\(\)|=>|->|::|===?|!==?|&&|\|\||<\/?[a-z][\w-]*\b[^<]*>|;\s*$/i,
  /\w\([^)]*\)/,
  /^\s*(?:import|export|from|const|let|var|def|class|func|fn|public|private|#include|#define)\s+[\w<"'{*@.]+.*(?:[=:;({<]|\bfrom\b|\bimport\b)/,
  /^\s*(?:select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+table)\s/i,
  /^\s*(?:\$|>>>|#)\s+\S/,
  /\bat\s+\S+:\d+:\d+\b|^Traceback\b/,
];

/** Search operators: the query is already written for a search engine. */
const OPERATORS =
  /(?:^|\s)(?:site|intitle|inurl|intext|filetype|ext|before|after|related|define):\S|(?:^|\s)-\w|"[^"]{2,}"|\s(?:AND|OR|NOT)\s/;

const OPENER =
  /^(?:(?:hi|hey|hello|ok|okay|so|well|um+|hmm+|thanks)\b[\s,!.]*)*(?:please|pls|kindly|(?:can|could|would|will|may|might|should)\s+(?:you|i|we|someone|anyone)|do(?:es)?\s+(?:you|anyone|it|i)\b|did\s+\w+|is\s+(?:it|there)|are\s+there|tell\s+(?:me|us)|show\s+me|give\s+me|get\s+me|find\s+(?:me|out)|help\s+me|let\s+me|explain|search\s+(?:for|the|up)|look\s+up|look\s+for|google|i(?:'m|’m|\s+am|\s+was|\s+want|\s+need|\s+would|'d|’d|\s+have|\s+wonder)|we\s+(?:want|need)|any\s+idea|(?:what|who|where|when|why|how|which|whose)(?:'s|’s|'re|’re|\s+(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|to|about|many|much|long|often|old|far|the))?)(?=[\s,?]|$)/i;

const TEMPORAL = /\b(?:latest|newest|current|currently|recent|recently|today|todays|nowadays)\b/i;
const YEAR = /\b(?:19|20)\d\d\b/;

/** Function words, which search engines ignore. */
const FILLER =
  /\b(?:a|an|the|is|are|was|were|am|be|been|i|me|my|we|our|you|your|it|its|that|this|these|those|there|which|who|whom|whose|what|how|why|when|where|do|does|did|have|has|had|can|could|should|would|will|shall|may|might|must|please|if|because|so|really|just|about|than|then|them|they|their)\b/i;

/** Decides whether a query should be rewritten, and why. */
export function adviseRewrite(query: string): RewriteAdvice {
  const text = query.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return { rewrite: false, reason: "empty" };
  if (URL_LIKE.test(text)) return { rewrite: false, reason: "url" };
  if (CODE.some((pattern) => pattern.test(text))) return { rewrite: false, reason: "code" };
  if (OPERATORS.test(text)) return { rewrite: false, reason: "operators" };
  if (text.split(/\s+/).length <= FEW_WORDS) return { rewrite: false, reason: "short" };
  if (OPENER.test(text)) return { rewrite: true, reason: "opener" };
  if (wantsYear(text)) return { rewrite: true, reason: "temporal" };
  return FILLER.test(text) ? { rewrite: true, reason: "sentence" } : { rewrite: false, reason: "keywords" };
}

/** Whether a query asks for something current without naming a year. */
export function wantsYear(text: string): boolean {
  return TEMPORAL.test(text) && !YEAR.test(text);
}
