import { Failure } from "../../protocol/failure.ts";
import type { PolicyRule, RuleWarning } from "../../protocol/policy-book.ts";
import { toolName } from "../choosing/tool-names.ts";
import { reasonWords } from "../text/reasons.ts";
import { t } from "../text/rules.ts";
import { argumentName } from "./argument-names.ts";

/** How an argument is compared. */
export type MatchKind = "Is" | "Begins" | "Contains" | "Matches";

const ACTIONS = {
  allow: "ruleAllow",
  ask: "ruleAsk",
  deny: "ruleDeny",
} as const;
export const EFFECT_WORDS = {
  none: "whatNone",
  read: "whatRead",
  network: "whatNetwork",
  write: "whatWrite",
} as const;

/** A rule as a sentence. */
export function ruleSentence({ action, tool, effect, match = {} }: PolicyRule): string {
  const named = tool === undefined ? undefined : toolName(tool);
  const kind = effect === undefined ? undefined : t(EFFECT_WORDS[effect]);
  const what = [named, kind].filter((part) => part !== undefined).join(", ") || t("whatAny");
  const conditions = Object.entries(match).map(([name, pattern]) => {
    const { kind: how, text } = readPattern(pattern);
    return t(`where${how}`, { name: argumentName(tool, name), text });
  });
  const whole =
    conditions.length === 0 ? what : t("ruleIf", { what, conditions: conditions.join(t("ruleAnd")) });
  return t(ACTIONS[action], { what: whole });
}

/** Says what rules allow more than they seem to. */
export function warningWords(warnings: readonly RuleWarning[]): string {
  return warnings.map((one) => reasonWords({ reason: one.message, because: [one] })).join(" ");
}

/** Says why rules were not saved, if they allow more than they seem to. Throws any other error again. */
export function warningIn(error: unknown): string {
  const warnings = error instanceof Failure ? error.details?.warnings : undefined;
  if (!Array.isArray(warnings)) throw error;
  return warningWords(warnings as RuleWarning[]);
}

/** Returns tools as options. Those that share a name are told apart by their own. */
export function toolOptions(names: readonly string[]): { value: string; text: string }[] {
  const all = names.map(toolName);
  return names.map((value, at) => {
    const text = all[at] ?? value;
    return { value, text: all.indexOf(text) === all.lastIndexOf(text) ? text : `${text} (${value})` };
  });
}

/** Says what a pattern means, where it is a plain text with or without ends. */
export function readPattern(pattern: string): { kind: MatchKind; text: string } {
  const [, begins, inner = "", ends] = /^(\^?)(.*?)(\$?)$/s.exec(pattern) ?? [];
  const text = inner.replaceAll(/\\([\\^$.*+?()[\]{}|/-])/g, "$1");
  if (patternOf("Contains", text) !== inner || (ends && !begins)) return { kind: "Matches", text: pattern };
  return { kind: begins ? (ends ? "Is" : "Begins") : "Contains", text };
}

/** Writes a comparison as a pattern. */
export function patternOf(kind: MatchKind, text: string): string {
  if (kind === "Matches") return text;
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return `${kind === "Contains" ? "" : "^"}${escaped}${kind === "Is" ? "$" : ""}`;
}
