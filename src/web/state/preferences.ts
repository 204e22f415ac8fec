import { create } from "zustand";
import { readStored, store } from "./storage.ts";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "de";

export interface Preferences {
  theme: Theme;
  language: Language;
  /** The model for new questions. If it is not set, the server chooses. */
  model?: string;
  /** Names of tools that are switched off, unless a conversation has its own choice. */
  toolsOff: string[];
  /** The same for single conversations, by session id. */
  toolsOffIn: Record<string, string[]>;
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
    language: navigator.language.startsWith("de") ? "de" : "en",
    toolsOff: [],
    toolsOffIn: {},
    sidebarOpen: true,
  };
}

function stored(): Partial<Preferences> {
  try {
    return JSON.parse(readStored(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {}; // Nothing readable is stored.
  }
}

/** Applies theme and language to the page, now and whenever they change. */
export function applyPreferences(): void {
  const apply = ({ theme, language }: Preferences) => {
    document.documentElement.lang = language;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply(preferences.getState());
  preferences.subscribe(apply);
}
