import { preferences } from "../state/preferences.ts";
import { english, type TextKey } from "./english.ts";
import { german } from "./german.ts";

const LANGUAGES = { en: english, de: german };

/** The text of that name in the person's language, with its values filled in. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text = LANGUAGES[preferences.getState().language][key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A point in time as the person writes it. */
export function clockTime(date: Date): string {
  return new Intl.DateTimeFormat(preferences.getState().language, {
    hour: "2-digit",
    minute: "2-digit",
  }).format(date);
}

/** A number as the person writes it. */
export function number(value: number): string {
  return new Intl.NumberFormat(preferences.getState().language, { maximumFractionDigits: 2 }).format(value);
}

/** A number in few characters: 12,300 is 12K. */
export function compact(value: number): string {
  const style = { notation: "compact", maximumFractionDigits: value < 1_000 ? 2 : 1 } as const;
  return new Intl.NumberFormat(preferences.getState().language, style).format(value);
}

/** A part of all. */
export function percent(part: number): string {
  const style = { style: "percent", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(preferences.getState().language, style).format(part);
}

/** Date and time, short. */
export function moment(date: Date): string {
  return new Intl.DateTimeFormat(preferences.getState().language, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(date);
}

/** Dollars, precise enough for small amounts. */
export function dollars(value: number): string {
  const digits = value !== 0 && value < 0.01 ? 4 : 2;
  return `$${value.toFixed(digits)}`;
}

/** A time that a call took. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${number(Math.round(milliseconds / 100) / 10)} s`;
}

/** Minutes and seconds until then. */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
