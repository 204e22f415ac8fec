import { projectsEnglish } from "./projects-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text of projects, or of the first load, in the person's language. */
export const t = addTexts(projectsEnglish);

export type ProjectKey = Parameters<typeof t>[0];
