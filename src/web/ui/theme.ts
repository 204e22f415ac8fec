import { useSyncExternalStore } from "react";
import { preferences } from "../state/preferences.ts";

const system = matchMedia("(prefers-color-scheme: dark)");

/** Returns true if the page is dark, by the person's choice or the system's. */
export function useDark(): boolean {
  const theme = preferences((state) => state.theme);
  const systemIsDark = useSyncExternalStore(
    (changed) => {
      system.addEventListener("change", changed);
      return () => system.removeEventListener("change", changed);
    },
    () => system.matches,
  );
  return theme === "system" ? systemIsDark : theme === "dark";
}
