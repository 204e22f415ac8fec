/** Decodes the percent codes of a text. A text with a percent sign that begins none stays as it is. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // The percent sign stands for itself.
  }
}
