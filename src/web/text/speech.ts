import { speechEnglish } from "./speech-english.ts";
import { addTexts } from "./translate.ts";

export type SpeechKey = keyof typeof speechEnglish;

/** Returns a text about dictation or reading aloud, or of the first load, in the person's language. */
export const t = addTexts(speechEnglish);
