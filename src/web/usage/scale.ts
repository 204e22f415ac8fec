import { byteScale } from "../../protocol/byte-size.ts";
import { compact, dollars, money, sizeText } from "../text/t.ts";

/** What the numbers of a chart are. */
export type Unit = "dollars" | "count" | "bytes";

interface Scale {
  /** The value at the top. */
  top: number;
  /** Formats a mark of the scale. Different marks have different texts. */
  text(value: number): string;
  /** Formats a value. */
  format(value: number): string;
}

/** Returns the scale of a chart whose largest value is `most`. */
export function scaleOf(most: number, unit: Unit): Scale {
  if (unit === "count") return { top: evenTop(most), text: compact, format: compact };
  if (unit === "bytes") {
    const { value, power } = byteScale(most);
    return { top: niceTop(value) * 1024 ** power, text: sizeText, format: sizeText };
  }
  const top = niceTop(most);
  return { top, text: (value) => markOf(value, top), format: dollars };
}

/** Returns a round number at or above the largest value, for the top of a chart. */
export function niceTop(most: number): number {
  if (most <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= most) ?? 10;
  return step * power;
}

/** The same for what is counted: half of it is a whole number too. */
function evenTop(most: number): number {
  return most >= 10 ? niceTop(most) : Math.ceil(most / 2) * 2;
}

/** Writes dollars with as many digits as half of the top needs. */
function markOf(value: number, top: number): string {
  return money(value, Number.isInteger(value) ? 0 : Math.max(2, 1 - Math.floor(Math.log10(top))));
}

/** Returns the place of a time on a logarithmic scale from 1 ms to the longest: 0 to 1. */
export function placeOfTime(milliseconds: number, longest: number): number {
  const end = Math.log10(Math.max(10, longest));
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, milliseconds)) / end));
}
