import { create } from "zustand";
import { isLanguage, type Language, preferredLanguage } from "../text/languages.ts";
import { showLanguage } from "../text/translate.ts";
import { readStored, store } from "./storage.ts";

export type Theme = "system" | "light" | "dark";
export type TextSize = "small" | "medium" | "large";

export interface Preferences {
  theme: Theme;
  language: Language;
  /** The model for new questions. If it is not set, the server chooses. */
  model?: string;
  /** The models that were used last, the newest first. */
  recentModels: string[];
  /** Names of tools that are switched off, unless a conversation has its own choice. */
  toolsOff: string[];
  /** The same for single conversations, by session id. */
  toolsOffIn: Record<string, string[]>;
  /** The key that sends a message; the other one starts a new line. */
  sendWith: "enter" | "command";
  textSize: TextSize;
  sidebarOpen: boolean;
}

const KEY = "tackle.preferences";

/** The person's preferences, stored in this browser and by `synced-preferences.ts` on the server. */
export const preferences = create<Preferences>(() => ({ ...defaults(), ...stored() }));

/** Changes preferences and stores them in this browser. */
export function prefer(change: Partial<Preferences>): void {
  preferences.setState(change);
  store(KEY, JSON.stringify(preferences.getState()));
}

function defaults(): Preferences {
  return {
    theme: "system",
    language: preferredLanguage(navigator.languages),
    recentModels: [],
    toolsOff: [],
    toolsOffIn: {},
    sendWith: "enter",
    textSize: "medium",
    sidebarOpen: true,
  };
}

function stored(): Partial<Preferences> {
  try {
    const found = JSON.parse(readStored(KEY) ?? "{}") as Partial<Preferences>;
    // A version of the app before or after this one may have stored a language that this one does not have.
    if (!isLanguage(found.language)) delete found.language;
    return found;
  } catch {
    return {}; // Nothing readable is stored.
  }
}

/** Applies theme and language to the page, now and whenever they change. Resolves when the texts of the language are there. */
export function applyPreferences(): Promise<void> {
  applyTheme(preferences.getState());
  preferences.subscribe((now, before) => {
    applyTheme(now);
    if (now.language !== before.language) void applyLanguage(now);
  });
  return applyLanguage(preferences.getState());
}

function applyTheme({ theme, textSize }: Preferences): void {
  document.documentElement.dataset.textSize = textSize;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  // The window's frame has the sidebar's color.
  document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]").forEach((meta, index) => {
    meta.content = (theme === "system" ? index === 1 : theme === "dark") ? "#131210" : "#f6f4f0";
  });
}

/** If the texts can't be loaded, the language before stays. The next visit tries again. */
async function applyLanguage({ language }: Preferences): Promise<void> {
  try {
    await showLanguage(language);
  } catch (thrown) {
    console.warn("The texts of the language could not be loaded.", thrown);
  }
}
