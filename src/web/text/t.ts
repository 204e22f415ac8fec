import { byteScale } from "../../protocol/byte-size.ts";
import { english } from "./english.ts";
import { addTexts, language } from "./translate.ts";

/**
 * Returns a text of the first load in the person's language with its values filled in.
 * Parts that load later bring their own texts: they import `t` from a file such as `usage.ts` here.
 */
export const t = addTexts(english);

/** Formats a time of day. */
export function clockTime(date: Date): string {
  return formatDate(date, { timeStyle: "short" });
}

/** Formats a date and time in a few characters, with the year unless that is this one. */
export function moment(date: Date): string {
  const day = { day: "numeric", month: "short", ...yearOf(date) } as const;
  return formatDate(date, { ...day, hour: "numeric", minute: "2-digit" });
}

/** Formats a day such as `2026-11-15`, or the day of a time where the person is, with the year unless that is this one. */
export function dayText(day: string): string {
  const date = dayOf(day);
  return formatDate(date, { day: "numeric", month: "short", ...yearOf(date) });
}

/** Formats the person's day of a time, or a day such as `2026-11-15`, with its year: for what is read long after. */
export function dateText(day: string): string {
  return formatDate(dayOf(day), { dateStyle: "long" });
}

function dayOf(day: string): Date {
  return new Date(day.includes("T") ? day : `${day}T00:00`);
}

/** Formats a month, with its year unless that is this one. */
export function monthText(date: Date): string {
  return formatDate(date, { month: "long", ...yearOf(date) });
}

function yearOf(date: Date): { year?: "numeric" } {
  return date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" };
}

/** Formats a number. */
export function number(value: number): string {
  return formatNumber(value, { maximumFractionDigits: 2 });
}

/** Formats a number in a few characters: 12,300 is 12.3K. */
export function compact(value: number): string {
  return formatNumber(value, { notation: "compact", maximumFractionDigits: value < 1_000 ? 2 : 1 });
}

/** Formats a fraction as a percentage. */
export function percent(part: number): string {
  return formatNumber(part, { style: "percent", maximumFractionDigits: 1 });
}

function formatDate(date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language(), options).format(date);
}

function formatNumber(value: number, options: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(language(), options).format(value);
}

/** Formats dollars, with more digits for small amounts. */
export function dollars(value: number): string {
  return money(value, digitsOf(value));
}

/** Formats dollars with this many digits after the point. */
export function money(value: number, digits: number): string {
  return formatNumber(value, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** Sums have errors: less than this is nothing. */
const NOTHING_USD = 1e-9;

function digitsOf(usd: number): number {
  if (usd >= 0.01 || usd < NOTHING_USD) return 2;
  return usd < 0.0001 ? 1 - Math.floor(Math.log10(usd)) : 4;
}

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Formats a number of bytes, such as 12.3 MB. */
export function sizeText(bytes: number): string {
  const { value, power } = byteScale(bytes);
  return formatNumber(value, {
    style: "unit",
    unit: SIZES[power] ?? "byte",
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: value < 100 && power > 0 ? 1 : 0,
  });
}

/** Formats how long something took: 0.3 s, 6 s, 1 min 12 s. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  const s = unit("second");
  if (seconds < 10) return `${number(Math.max(1, Math.round(seconds * 10)) / 10)} ${s}`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} ${s}` : `${Math.floor(whole / 60)} ${unit("minute")} ${whole % 60} ${s}`;
}

/** Formats the time that is left. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const min = unit("minute");
  if (whole < 60) return `${whole} ${unit("second")}`;
  if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} ${min}`;
  return `${Math.floor(whole / 3600)} ${unit("hour")} ${Math.floor((whole % 3600) / 60)} ${min}`;
}

const LATIN = { second: "s", minute: "min", hour: "h" };

/** Returns the sign of a unit: the international one, except in languages with letters of their own. */
function unit(name: keyof typeof LATIN): string {
  if (!["ar", "ja", "zh"].includes(language())) return LATIN[name];
  const parts = new Intl.NumberFormat(language(), { style: "unit", unit: name, unitDisplay: "short" });
  return parts.formatToParts(9).find(({ type }) => type === "unit")?.value ?? LATIN[name];
}
