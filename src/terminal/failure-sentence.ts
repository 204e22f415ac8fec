import type { Failure } from "../protocol/failure.ts";

/** A failure in one sentence. An unexpected error keeps its own message: this is the owner's machine. */
export function sentenceOf({ code, publicMessage, cause }: Failure): string {
  if (code !== "INTERNAL" || !(cause instanceof Error)) return publicMessage;
  return `unexpected error: ${process.env.TACKLE_LOG === "debug" ? cause.stack : cause.message}`;
}
