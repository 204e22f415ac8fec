import { Failure } from "../../protocol/failure.ts";

const MODES = ["auto", "artifact", "image"] as const;

export type ModeHint = (typeof MODES)[number];

/** The mode hint, if it is one of the three; anything else in its place is an attempt to slip words in. */
export function checkModeHint(hint: unknown): ModeHint {
  if (hint === undefined || hint === null) return "auto";
  const known = MODES.find((mode) => mode === hint);
  if (known) return known;
  throw new Failure("INJECTION_BLOCKED", `modeHint can be ${MODES.join(", ")}, nothing else.`);
}
