import { addTexts } from "./translate.ts";
import { usageEnglish } from "./usage-english.ts";

/** Returns a text of reports of usage, or of the first load, in the person's language. */
export const t = addTexts(usageEnglish);
