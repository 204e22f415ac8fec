import { shareEnglish } from "./share-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text about links to conversations, or of the first load, in the person's language. */
export const t = addTexts(shareEnglish);
