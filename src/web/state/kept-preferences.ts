import { type Preferences, prefer, preferences } from "./preferences.ts";
import { ask, type PersonalSettings } from "./server.ts";

/** What a person finds again in every browser; the rest belongs to this one. */
const KEPT = ["theme", "language", "model", "toolsOff", "toolsOffIn"] as const;
const SETTING = "web";
/** Stands in this browser while the server has not taken the newest choice. */
const UNSAVED = "tackle.preferences.unsaved";

type Kept = Pick<Preferences, (typeof KEPT)[number]>;

/** What the server has: what is the same as this needs no writing. */
let known = "";
let writing: Promise<void> = Promise.resolve();
/** True while what the server has is taken over, which is no choice of the person's. */
let taking = false;

/** Takes over what the person chose elsewhere, unless something newer was chosen here and is still on its way. */
export async function readKeptPreferences(): Promise<void> {
  const { settings } = await ask<PersonalSettings>("GET", "/me/settings");
  if (isUnsaved()) return write();
  const found = settings[SETTING];
  taking = true;
  if (typeof found === "object" && found !== null) prefer(checked(found as Partial<Record<string, unknown>>));
  taking = false;
  known = JSON.stringify(kept());
}

/** Writes down what the person chooses, one choice after the other. */
export function keepPreferences(): void {
  preferences.subscribe(() => {
    if (taking || JSON.stringify(kept()) === known) return;
    setUnsaved(true);
    // What is chosen before the server was asked is written once it has answered.
    if (known !== "") writing = writing.then(write);
  });
}

function isUnsaved(): boolean {
  try {
    return localStorage.getItem(UNSAVED) !== null;
  } catch {
    return false; // Without storage nothing is left from before.
  }
}

function setUnsaved(unsaved: boolean): void {
  try {
    if (unsaved) localStorage.setItem(UNSAVED, "1");
    else localStorage.removeItem(UNSAVED);
  } catch {
    // Without storage it is only remembered until the page is closed.
  }
}

async function write(): Promise<void> {
  const value = kept();
  const text = JSON.stringify(value);
  if (text === known) return;
  try {
    // Kept alive: whoever chooses something may leave right afterwards.
    await ask("PUT", "/me/settings", { settings: { [SETTING]: value } }, { keepalive: true });
    known = text;
    if (JSON.stringify(kept()) === text) setUnsaved(false);
  } catch {
    // It holds in this browser, and is written when the server is there again.
  }
}

function kept(): Kept {
  const { theme, language, model, toolsOff, toolsOffIn } = preferences.getState();
  return { theme, language, toolsOff, toolsOffIn, ...(model === undefined ? {} : { model }) };
}

/** Settings can be written by any program of the person's: only what has the right form is taken. */
function checked(found: Partial<Record<string, unknown>>): Partial<Preferences> {
  const { theme, language, model, toolsOff, toolsOffIn } = found;
  const names = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((name) => typeof name === "string");
  return {
    ...(theme === "system" || theme === "light" || theme === "dark" ? { theme } : {}),
    ...(language === "en" || language === "de" ? { language } : {}),
    model: typeof model === "string" ? model : undefined,
    ...(names(toolsOff) ? { toolsOff } : {}),
    ...(typeof toolsOffIn === "object" && toolsOffIn !== null && Object.values(toolsOffIn).every(names)
      ? { toolsOffIn: toolsOffIn as Record<string, string[]> }
      : {}),
  };
}
