import type { Failure } from "../protocol/failure.ts";
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

/** A failure in one sentence. An unexpected error keeps its own message: this is the owner's machine. */
export function sentenceOf({ code, publicMessage, cause }: Failure): string {
  if (code !== "INTERNAL" || !(cause instanceof Error)) return publicMessage;
  return `unexpected error: ${process.env.TACKLE_LOG === "debug" ? cause.stack : cause.message}`;
}
