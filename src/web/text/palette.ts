import { paletteEnglish } from "./palette-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text of the palette, the shortcuts or the archive, or of the first load, in the person's language. */
export const t = addTexts(paletteEnglish);

export type PaletteKey = keyof typeof paletteEnglish;
