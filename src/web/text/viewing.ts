import { addTexts } from "./translate.ts";
import { viewingEnglish } from "./viewing-english.ts";

/** Returns a text about looking closer at diagrams and artifacts, or of the first load, in the person's language. */
export const t = addTexts(viewingEnglish);
