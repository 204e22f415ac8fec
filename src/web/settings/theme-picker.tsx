import { prefer, preferences, type Theme } from "../state/preferences.ts";
import { t } from "../text/settings.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

interface Colors {
  ground: string;
  sidebar: string;
  words: string;
  bubble: string;
}

/** The pictures show both themes whichever is on, so their colors are fixed. */
const LIGHT: Colors = { ground: "#fdfcfa", sidebar: "#f6f4f0", words: "#d9d5cc", bubble: "#eae7e1" };
const DARK: Colors = { ground: "#191816", sidebar: "#131210", words: "#403d37", bubble: "#2f2d29" };

/** Lets the person choose how the app looks, by pictures. */
export function ThemePicker() {
  const theme = preferences((state) => state.theme);
  return (
    <fieldset className="theme-picker">
      <legend>{t("theme")}</legend>
      {THEMES.map((value) => (
        <label key={value}>
          <input
            type="radio"
            name="theme"
            checked={theme === value}
            onChange={() => prefer({ theme: value })}
          />
          <svg viewBox="0 0 120 76" aria-hidden="true" focusable="false">
            <Window colors={value === "dark" ? DARK : LIGHT} />
            {value === "system" && (
              <svg x="60" width="60" height="76" viewBox="60 0 60 76" aria-hidden="true">
                <Window colors={DARK} />
              </svg>
            )}
          </svg>
          {t(value)}
        </label>
      ))}
    </fieldset>
  );
}

function Window({ colors }: { colors: Colors }) {
  return (
    <>
      <rect width="120" height="76" fill={colors.ground} />
      <rect width="34" height="76" fill={colors.sidebar} />
      <rect x="7" y="10" width="20" height="4" rx="2" fill={colors.words} />
      <rect x="7" y="20" width="16" height="4" rx="2" fill={colors.words} />
      <rect x="76" y="10" width="36" height="10" rx="5" fill={colors.bubble} />
      <rect x="44" y="28" width="62" height="4" rx="2" fill={colors.words} />
      <rect x="44" y="37" width="48" height="4" rx="2" fill={colors.words} />
      <rect x="44" y="58" width="68" height="11" rx="5.5" fill={colors.bubble} />
    </>
  );
}
