/** Returns a round number at or above the largest value, for the top of a chart. */
export function niceTop(most: number): number {
  if (most <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= most) ?? 10;
  return step * power;
}

/** Returns the place of a time on a logarithmic scale from 1 ms to the longest: 0 to 1. */
export function placeOfTime(milliseconds: number, longest: number): number {
  const end = Math.log10(Math.max(10, longest));
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, milliseconds)) / end));
}
