import { addUsage, type Usage } from "../protocol/model.ts";
import type { Turn } from "./turn.ts";

/** How full the window is after a request. */
export interface ContextFill {
  contextTokens: number;
  contextWindow?: number;
}

/** Adds what a request used to the run's total. */
export function reportUsage({ log }: Pick<Turn, "log">, added: Usage, fill?: ContextFill): void {
  if (added.inputTokens === 0 && added.outputTokens === 0) return;
  const total: Usage = { inputTokens: 0, outputTokens: 0, ...log.state().usage };
  addUsage(total, added);
  log.emit({ type: "usage", ...total, ...fill });
}
