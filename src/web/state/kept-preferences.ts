import { type Preferences, prefer, preferences } from "./preferences.ts";
import { ask, type OwnSettings } from "./server.ts";

/** What a person finds again in every browser; the rest belongs to this one. */
const KEPT = ["theme", "language", "model", "toolsOff", "toolsOffIn"] as const;
const SETTING = "web";
const WAIT_MS = 400;

type Kept = Pick<Preferences, (typeof KEPT)[number]>;

/** What the server has: what is the same as this needs no writing. */
let known = "";
let timer: ReturnType<typeof setTimeout> | undefined;

/** Takes over what the person chose elsewhere. */
export async function readKeptPreferences(): Promise<void> {
  const { settings } = await ask<OwnSettings>("GET", "/me/settings");
  const found = settings[SETTING];
  if (typeof found === "object" && found !== null) prefer(checked(found as Partial<Record<string, unknown>>));
  known = JSON.stringify(kept());
}

/** Writes down what the person chooses, once they pause. */
export function keepPreferences(): void {
  preferences.subscribe(() => {
    clearTimeout(timer);
    if (known !== "" && JSON.stringify(kept()) !== known) timer = setTimeout(write, WAIT_MS);
  });
}

async function write(): Promise<void> {
  const value = kept();
  try {
    await ask("PUT", "/me/settings", { settings: { [SETTING]: value } });
    known = JSON.stringify(value);
  } catch {
    // It holds in this browser; the next change is written with it.
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
