import { isObject } from "./json.ts";
import type { LearnedTarget, ShownPlan } from "./plan.ts";
import { because, type Reason, reasonText } from "./reasons.ts";
import { visibleLine } from "./visible-text.ts";

/** Returns a plan as text: one step after the other, with what it is bound to. */
export function planText({ steps, after }: ShownPlan): string {
  const lines = steps.flatMap(({ tool, targets, why, times = 1, later, learned, excluded }, index) => [
    `${index + 1}. ${visibleLine(tool)} ${targetText(targets)}${times > 1 ? ` (up to ${times} times)` : ""}`,
    ...(why ? [`   ${visibleLine(why)}`] : []),
    ...(later ? [`   Written later: ${laterText(later)}.`] : []),
    ...(learned ?? []).map((one) => `   ${learnedText(one, times)}`),
    ...(excluded ? [`   Asked about all the same: ${excluded}`] : []),
  ]);
  return [...lines, ...(after ? ["", reasonText([plannedAfterReading(after)])] : [])].join("\n");
}

/** Returns the targets of a step as one line. */
export function targetText(targets: unknown): string {
  if (!isObject(targets)) return [targets].flat().map(valueText).join(", ");
  return Object.entries(targets)
    .map(([name, value]) => `${visibleLine(name)}: ${valueText(value)}`)
    .join(", ");
}

/** Says that a plan came too late to override the rule of two. */
export function plannedAfterReading(after: readonly string[]): Reason {
  return because("read_before_plan", { sources: after.join(", ") });
}

/** Returns the names of the texts that are not fixed, each once. */
export function laterText(later: readonly string[]): string {
  return visibleLine([...new Set(later.map((name) => name.split(".").at(-1)))].join(", "));
}

/** Says where a target comes from that is learned by reading, and who may choose it. */
function learnedText({ name, from, field, with: words, open }: LearnedTarget, times: number): string {
  const which = times > 1 ? "each" : "the only";
  const row = words === undefined ? "" : ` where it says “${words}”`;
  const risk = open ? " Whoever can write there may choose it." : "";
  return visibleLine(
    `Learned by reading: ${name}, ${which} ${field} that ${from.join(" or ")} returns${row}.${risk}`,
  );
}

/** Returns one target as text. */
export function valueText(value: unknown): string {
  if (isObject(value) && "$from" in value) return "…";
  return visibleLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}
