import { clockTime, t } from "../text/t.ts";
import { language } from "../text/translate.ts";

const DAY_MS = 86_400_000;

/** Formats when something was last used: 14:32, Yesterday, Tuesday, 9 Nov. */
export function whenText(time: string): string {
  const date = new Date(time);
  const today = new Date().setHours(0, 0, 0, 0);
  if (date.getTime() >= today) return clockTime(date);
  if (date.getTime() >= today - DAY_MS) return t("yesterday");
  const isNear = date.getTime() >= today - 6 * DAY_MS;
  const form: Intl.DateTimeFormatOptions = isNear ? { weekday: "long" } : { day: "numeric", month: "short" };
  return new Intl.DateTimeFormat(language(), form).format(date);
}
