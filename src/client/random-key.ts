/** Returns a key that nobody guesses. Browsers offer `randomUUID` on pages with HTTPS only. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
