import { REASONS, type ReasonCode } from "../../protocol/reasons.ts";

/** Why people are asked about calls. */
export const reasonsEnglish = Object.fromEntries(
  Object.entries(REASONS).map(([code, text]) => [`reason_${code}`, text]),
) as { [Code in ReasonCode as `reason_${Code}`]: string };
