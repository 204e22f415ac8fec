import { rulesEnglish } from "./rules-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text about what may run without asking, or of the first load, in the person's language. */
export const t = addTexts(rulesEnglish);
