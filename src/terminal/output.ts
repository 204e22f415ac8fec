import { type Paint, paintFor } from "./style.ts";

/** Prints lines to standard output. */
export function say(lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Prints the result of a command: as JSON where that was asked for, otherwise as lines for the width of the terminal. */
export function report(
  { json }: { json: boolean },
  value: unknown,
  lines: (columns: number, paint: Paint) => string[],
): void {
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  say(json ? [JSON.stringify(value, null, 2)] : lines(columns, paintFor(process.stdout)));
}
