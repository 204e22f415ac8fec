import { toolsEnglish } from "./tools-english.ts";
import { addTexts } from "./translate.ts";

/** Returns what a built-in tool is called, or a text of the first load, in the person's language. */
export const t = addTexts(toolsEnglish);
