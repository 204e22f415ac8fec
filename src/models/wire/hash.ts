/** Returns a short hash of a text, for comparing texts without keeping them. Not for secrets that could be guessed. */
export function hashText(text: string): string {
  let low = 0x9e3779b1;
  let high = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995) ^ (low >>> 15);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}
