import type { EventOf } from "../protocol/events.ts";
import { clean } from "./clean.ts";
import { truncate, wrap } from "./lines.ts";
import type { Screen } from "./screen.ts";

export type AskedQuestion = EventOf<"question_required">;

/** The lines of a question: the question itself, and its options with numbers. */
export function questionLines({ question, options = [] }: AskedQuestion, screen: Screen): string[] {
  const { columns, paint } = screen;
  const [first = "", ...rest] = wrap([{ text: clean(question), format: "bold" }], columns - 2, paint);
  return [
    `${paint("yellow", "?")} ${first}`,
    ...rest.map((line) => `  ${line}`),
    ...options.map((option, index) => truncate(`  ${index + 1}  ${clean(option)}`, columns)),
  ];
}

/** What to do about it, above the prompt. */
export function questionHint({ options = [], multiple, default: fallback }: AskedQuestion): string {
  const number = multiple ? "Numbers (1, 3)" : "A number";
  const how = options.length > 0 ? `${number} or your own answer` : "Your answer";
  return `${how}, then Enter.${fallback === undefined ? "" : ` Without one: ${clean(fallback)}`}`;
}

/** Returns the answer that a typed line means: the options that its numbers name, or the words themselves. */
export function answerFrom({ options = [], multiple }: AskedQuestion, line: string): string | string[] {
  const text = line.trim();
  const numbers = text.split(/[\s,;]+/).map(Number);
  const named = numbers.map((number) => options[number - 1]);
  const chosen = named.filter((option) => option !== undefined);
  if (chosen.length < named.length || (chosen.length > 1 && !multiple)) return multiple ? [text] : text;
  return multiple ? chosen : (chosen[0] ?? text);
}
