import type { SettingsListing } from "../../protocol/accounts.ts";
import { isObject } from "../../protocol/json.ts";
import { isLanguage } from "../text/languages.ts";
import { noteKeys } from "./account-changes.ts";
import { type Preferences, prefer, preferences } from "./preferences.ts";
import { ask } from "./server.ts";
import { readStored, store } from "./storage.ts";

const SETTING = "web";
/** Set in this browser until the server has the newest choice. */
const UNSAVED = "tackle.preferences.unsaved";

/** The preferences that the server has, as JSON. */
let saved = "";
let saving: Promise<void> = Promise.resolve();
/** How often this page has saved a choice. */
let saves = 0;
/** True while the server's preferences are applied: that is not a choice of the person. */
let applying = false;

/**
 * Applies what the person chose in another browser, unless a newer choice made here is not saved yet. `live`: the person is using the
 * page, so the model and the tools of the next question stay as they are.
 */
export async function loadPreferences({ live = false } = {}): Promise<void> {
  // They are being read already.
  if (live && saved === "") return;
  const savesBefore = saves;
  const { settings, keys } = await ask<SettingsListing>("GET", "/me/settings");
  noteKeys(keys);
  // Another tab may be saving its choice.
  const isUnsaved = live ? JSON.stringify(syncedPreferences()) !== saved : readStored(UNSAVED) !== null;
  if (isUnsaved) return save();
  // What was read may be older than the choice. The account's feed tells of that one too.
  if (live && saves !== savesBefore) return;
  const found = settings[SETTING];
  applying = true;
  if (isObject(found)) {
    const valid = validPreferences(found);
    const { model, recentModels, toolsOff, toolsOffIn, ...look } = valid;
    prefer(live ? look : valid);
  }
  applying = false;
  saved = JSON.stringify(syncedPreferences());
}

/** Saves each choice of the person on the server, one after the other. */
export function syncPreferences(): void {
  preferences.subscribe(() => {
    if (applying || JSON.stringify(syncedPreferences()) === saved) return;
    store(UNSAVED, "1");
    // Before the server's preferences are known, nothing is saved.
    if (saved !== "") saving = saving.then(save);
  });
}

async function save(): Promise<void> {
  const value = syncedPreferences();
  const text = JSON.stringify(value);
  if (text === saved) return;
  try {
    // The person may close the page right after choosing.
    await ask("PUT", "/me/settings", { settings: { [SETTING]: value } }, { keepalive: true });
    saved = text;
    saves++;
    if (JSON.stringify(syncedPreferences()) === text) store(UNSAVED, null);
    else saving = saving.then(save); // Chosen while this was saved, perhaps before anything was known to be saved.
  } catch {
    // The choice holds in this browser and is saved once the server can be reached.
  }
}

/** The preferences that follow the person to other browsers. */
function syncedPreferences(): Omit<Preferences, "sidebarOpen"> {
  const { sidebarOpen, ...synced } = preferences.getState();
  return synced;
}

/** Any program of the person can write settings, so only valid ones are used. */
function validPreferences(found: Record<string, unknown>): Partial<Preferences> {
  const { theme, language, model, recentModels, toolsOff, toolsOffIn, sendWith, textSize } = found;
  const areNames = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((name) => typeof name === "string");
  return {
    ...(theme === "system" || theme === "light" || theme === "dark" ? { theme } : {}),
    ...(sendWith === "enter" || sendWith === "command" ? { sendWith } : {}),
    ...(textSize === "small" || textSize === "medium" || textSize === "large" ? { textSize } : {}),
    ...(isLanguage(language) ? { language } : {}),
    model: typeof model === "string" ? model : undefined,
    ...(areNames(recentModels) ? { recentModels: recentModels.slice(0, 3) } : {}),
    ...(areNames(toolsOff) ? { toolsOff } : {}),
    ...(isObject(toolsOffIn) && Object.values(toolsOffIn).every(areNames)
      ? { toolsOffIn: toolsOffIn as Record<string, string[]> }
      : {}),
  };
}
