/** Patterns of attacks on databases and browsers, in text that `foldText` has normalized. */
const PAYLOADS = [
  {
    label: "sql_pattern",
    needs: /['"]|select|drop|truncate|delete|waitfor|\b(?:or|and) \d/,
    patterns: [
      /['"\d)] {0,3}\)? {0,3}; {0,3}(?:drop|delete|insert|update|alter|truncate|exec|create|shutdown)\b/,
      /; {0,3}(?:drop|truncate|alter) {1,3}(?:table|database|schema|view|user)\b/,
      /['"] {0,3}\)? {0,3}\b(?:or|and) {0,3}(?:'[^'\n]{0,20}'|"[^"\n]{0,20}"|\d{1,6}|true\b) {0,3}(?:[=<>]|like\b|--|#|$)/m,
      /\b(?:or|and) {1,3}['"]?(\w{1,20})['"]? {0,3}= {0,3}['"]?\1\b/,
      /\bunion\s{1,3}(?:all\s{1,3})?select\b/,
      /\w' {0,3}(?:;? {0,3}--|\/\*|#)\s{0,3}$/m,
      /\b(?:xp_cmdshell|information_schema\.\w|pg_sleep ?\(|waitfor delay|into (?:out|dump)file|load_file ?\()/,
    ],
  },
  {
    label: "script_pattern",
    needs: /<|script:|\bon[a-z]{3,20} ?=|data:text\/html/,
    patterns: [
      /<\s{0,3}\/?\s{0,3}script\b/,
      /\b(?:java|vb)script:\S/,
      /(?:^|[\s"'/<])on[a-z]{3,20} {0,2}= {0,2}["'`\w]/,
      /<iframe\b[^<>]{0,200}\bsrcdoc ?=/,
      /\bdata:text\/html[;,]/,
    ],
  },
] as const;

export type PayloadLabel = (typeof PAYLOADS)[number]["label"];

/** Returns the labels of the payloads in a text. They say what the text contains and never count as evidence of an attack. */
export function payloadsIn(text: string): PayloadLabel[] {
  return PAYLOADS.filter(
    ({ needs, patterns }) => needs.test(text) && patterns.some((pattern) => pattern.test(text)),
  ).map(({ label }) => label);
}
