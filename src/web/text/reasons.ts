import { REASONS, type Reason, type ReasonCode } from "../../protocol/reasons.ts";
import { reasonsEnglish } from "./reasons-english.ts";
import { addTexts } from "./translate.ts";

const t = addTexts(reasonsEnglish);

/** Says why a person is asked, in their language. What a newer server says that this app doesn't know stays in English. */
export function reasonWords({
  reason = "",
  because = [],
}: {
  reason?: string;
  because?: readonly Reason[];
}): string {
  const isKnown = because.length > 0 && because.every(({ code }) => Object.hasOwn(REASONS, code));
  if (!isKnown) return reason;
  return because.map(({ code, values }) => t(`reason_${code as ReasonCode}`, values)).join(" ");
}
