import { createContext, useContext, useSyncExternalStore } from "react";
import { preferences } from "../state/preferences.ts";

const system = matchMedia("(prefers-color-scheme: dark)");

/** True in what is meant for paper, which is light. */
export const OnPaper = createContext(false);

/** Returns true if the page is dark, by the person's choice or the system's. */
export function useDark(): boolean {
  const paper = useContext(OnPaper);
  const theme = preferences((state) => state.theme);
  const systemIsDark = useSyncExternalStore(
    (changed) => {
      system.addEventListener("change", changed);
      return () => system.removeEventListener("change", changed);
    },
    () => system.matches,
  );
  if (paper) return false;
  return theme === "system" ? systemIsDark : theme === "dark";
}
