import { administrationEnglish } from "./administration-english.ts";
import { addTexts } from "./translate.ts";
import { usageEnglish } from "./usage-english.ts";

/** Returns a text of administration, or of the first load, in the person's language. */
export const t = addTexts({ ...usageEnglish, ...administrationEnglish });
