import { appsEnglish } from "./apps-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text of interactive apps of tools, or of the first load, in the person's language. */
export const t = addTexts(appsEnglish);
