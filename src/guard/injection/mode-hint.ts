import { Failure } from "../../protocol/failure.ts";

const MODES = ["auto", "artifact", "image"] as const;

export type ModeHint = (typeof MODES)[number];

/** Returns the mode hint. Throws if it is not one of the three, because free text would reach the prompt. */
export function checkModeHint(hint: unknown): ModeHint {
  if (hint === undefined || hint === null) return "auto";
  const known = MODES.find((mode) => mode === hint);
  if (known) return known;
  throw new Failure("INJECTION_BLOCKED", `modeHint can be ${MODES.join(", ")}, nothing else.`);
}
