import { changeStream, withoutSequences } from "../protocol/plain-text.ts";
import { visibleText } from "../protocol/visible-text.ts";

// Output of models and tools must never move the cursor, set the title or hide text from the user who approves a call.
// C0 without tab and newline, DEL, C1, and the characters that change the text direction.
const CONTROLS = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Removes control sequences. Tabs become spaces, line ends become newlines. */
export function clean(text: string): string {
  return withoutSequences(text).replace(/\r\n?/g, "\n").replace(CONTROLS, "").replaceAll("\t", "    ");
}

/** Spells out what cannot be seen, so that a person sees everything that they approve. */
export function reveal(text: string): string {
  return visibleText(text).replaceAll("\t", "    ");
}

/** Cleans streamed text. An incomplete sequence is held back until the rest arrives. */
export function createCleaner(): ReturnType<typeof changeStream> {
  return changeStream(clean);
}
