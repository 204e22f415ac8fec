import { prefer, preferences, type TextSize } from "../state/preferences.ts";
import { LANGUAGES, type Language } from "../text/languages.ts";
import { t } from "../text/settings.ts";
import { isMac } from "../ui/platform.ts";
import { Select } from "../ui/select.tsx";
import { PersonalInstructions } from "./personal-instructions.tsx";
import { ThemePicker } from "./theme-picker.tsx";

const LANGUAGE_OPTIONS = (Object.entries(LANGUAGES) as [Language, string][]).map(([value, text]) => ({
  value,
  text,
}));

/** How the app looks, speaks and listens. */
export function GeneralSettings() {
  const { language, sendWith, textSize } = preferences();
  const keys = [
    { value: "enter" as const, text: "Enter" },
    { value: "command" as const, text: isMac() ? "⌘ Enter" : "Ctrl Enter" },
  ];
  const sizes = (["small", "medium", "large"] as const satisfies TextSize[]).map((value) => ({
    value,
    text: t(`textSize_${value}`),
  }));
  return (
    <>
      <ThemePicker />
      <div className="settings-choices">
        <Select
          label={t("language")}
          value={language}
          options={LANGUAGE_OPTIONS}
          onChoose={(chosen) => prefer({ language: chosen })}
        />
        <Select
          label={t("textSize")}
          value={textSize}
          options={sizes}
          onChoose={(chosen) => prefer({ textSize: chosen })}
        />
        <Select
          label={t("sendWith")}
          value={sendWith}
          options={keys}
          onChoose={(chosen) => prefer({ sendWith: chosen })}
        />
      </div>
      <PersonalInstructions />
    </>
  );
}
