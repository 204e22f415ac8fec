import { fenceFor } from "../../protocol/fence.ts";

/** Longer texts are shown in part. */
export const MOST_LINES = 40;

/** Returns a code block with a fence that the text cannot close. */
export function fenced(text: string, language = ""): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, MOST_LINES).map((line) => shortened(line, 300));
  const fence = fenceFor(text);
  const more = lines.length > MOST_LINES ? `\n\n… and ${lines.length - MOST_LINES} more lines.` : "";
  return `${fence}${language}\n${shown.join("\n")}\n${fence}${more}`;
}

/** Returns the text as a quotation. */
export function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

/** Returns the beginning of a text. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : text;
}
