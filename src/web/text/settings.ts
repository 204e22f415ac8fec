import { memoryEnglish } from "./memory-english.ts";
import { notificationsEnglish } from "./notifications-english.ts";
import { settingsEnglish } from "./settings-english.ts";
import { addTexts } from "./translate.ts";
import { usageEnglish } from "./usage-english.ts";

/** Returns a text of settings, or of the first load, in the person's language. */
export const t = addTexts({ ...notificationsEnglish, ...usageEnglish, ...settingsEnglish, ...memoryEnglish });

export type SettingsKey = Parameters<typeof t>[0];
