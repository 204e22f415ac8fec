import { create } from "zustand";

export type Theme = "system" | "light" | "dark";
export type Language = "en" | "de";

export interface Preferences {
  theme: Theme;
  language: Language;
  /** The model for new questions; the server's own choice when not set. */
  model?: string;
  /** Names of tools that the model is not offered, unless a conversation has a choice of its own. */
  toolsOff: string[];
  /** The same for single conversations, by id. */
  toolsOffIn: Record<string, string[]>;
  sidebarOpen: boolean;
}

const KEY = "tackle.preferences";

/** What this browser remembers about how its person likes things; `kept-preferences.ts` tells the server too. */
export const preferences = create<Preferences>(() => ({ ...defaults(), ...remembered() }));

/** Changes some of it, and remembers that. */
export function prefer(change: Partial<Preferences>): void {
  preferences.setState(change);
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.getState()));
  } catch {
    // Without storage it holds until the page is closed.
  }
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

function remembered(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
  } catch {
    return {}; // Nothing readable is there: the defaults are good.
  }
}

/** Shows the page in the colours and language that are wanted, now and whenever that changes. */
export function applyPreferences(): void {
  const apply = ({ theme, language }: Preferences) => {
    document.documentElement.lang = language;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply(preferences.getState());
  preferences.subscribe(apply);
}
