const COLOURS =
  "red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose";

/** The colour that a wish names, as Tailwind calls it. */
export function colourIn(wish: string): string | undefined {
  return new RegExp(`\\b(${COLOURS})\\b`, "i").exec(wish)?.[1]?.toLowerCase();
}

/** Code with its accents in another colour; greys stay as they are. */
export function recoloured(code: string, colour: string): string {
  return code.replace(new RegExp(`\\b(?:${COLOURS})-(\\d{2,3})\\b`, "g"), `${colour}-$1`);
}
