/** Removes empty lines around a text. The lookbehind keeps the pattern from trying each line end in its middle again. */
export function withoutEmptyEdges(text: string): string {
  return text.replace(/^\n+|(?<!\n)\n+$/g, "");
}
