const COLORS =
  "red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose";

/** Returns the color that a request names, as Tailwind calls it. */
export function colorIn(request: string): string | undefined {
  return new RegExp(`\\b(${COLORS})\\b`, "i").exec(request)?.[1]?.toLowerCase();
}

/** Returns code with its accents in another color. Grays stay as they are. */
export function recolored(code: string, color: string): string {
  return code.replace(new RegExp(`\\b(?:${COLORS})-(\\d{2,3})\\b`, "g"), `${color}-$1`);
}
