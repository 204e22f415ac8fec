import type { Failure } from "../protocol/failure.ts";

/** What commands print on, and how wide it is. */
export async function page() {
  const { paintFor } = await import("./style.ts");
  return {
    paint: paintFor(process.stdout),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
  };
}

/** Prints lines for whoever gave the command. */
export function say(lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** An error that nobody foresaw is told in its own words: this is the owner's own machine. */
export function sentenceOf({ code, publicMessage, cause }: Failure): string {
  if (code !== "INTERNAL" || !(cause instanceof Error)) return publicMessage;
  return `something went wrong that should not: ${process.env.TACKLE_LOG === "debug" ? cause.stack : cause.message}`;
}
