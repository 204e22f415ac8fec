import { prefer, preferences } from "../state/preferences.ts";
import { t } from "../text/t.ts";
import { Select } from "../ui/select.tsx";

const LANGUAGES = [
  { value: "en", text: "English" },
  { value: "de", text: "Deutsch" },
] as const;

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
        options={LANGUAGES}
        onChoose={(chosen) => prefer({ language: chosen })}
      />
    </div>
  );
}
