import { REASONING_EFFORTS, type ReasoningEffort } from "../../protocol/model.ts";

/** Returns the effort if the model accepts it, otherwise the next higher one that it accepts, or its highest. */
export function nearestEffort(
  wanted: ReasoningEffort,
  accepted: readonly ReasoningEffort[] | undefined,
): ReasoningEffort {
  if (!accepted || accepted.includes(wanted)) return wanted;
  const rank = (effort: ReasoningEffort) => REASONING_EFFORTS.indexOf(effort);
  const sorted = accepted.toSorted((a, b) => rank(a) - rank(b));
  return sorted.find((effort) => rank(effort) > rank(wanted)) ?? sorted.at(-1) ?? wanted;
}
