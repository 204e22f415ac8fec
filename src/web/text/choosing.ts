import { choosingEnglish } from "./choosing-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text of the lists of models and tools, or of the first load, in the person's language. */
export const t = addTexts(choosingEnglish);
