import { prefer, preferences } from "../state/preferences.ts";
import { LANGUAGES, type Language } from "../text/languages.ts";
import { t } from "../text/settings.ts";
import { Select } from "../ui/select.tsx";
import { PersonalInstructions } from "./personal-instructions.tsx";

const LANGUAGE_OPTIONS = (Object.entries(LANGUAGES) as [Language, string][]).map(([value, text]) => ({
  value,
  text,
}));

/** How the app looks and speaks. */
export function GeneralSettings() {
  const { theme, language } = preferences();
  const themes = (["system", "light", "dark"] as const).map((value) => ({ value, text: t(value) }));
  return (
    <div className="fields">
      <Select
        label={t("theme")}
        value={theme}
        options={themes}
        onChoose={(chosen) => prefer({ theme: chosen })}
      />
      <Select
        label={t("language")}
        value={language}
        options={LANGUAGE_OPTIONS}
        onChoose={(chosen) => prefer({ language: chosen })}
      />
      <PersonalInstructions />
    </div>
  );
}
