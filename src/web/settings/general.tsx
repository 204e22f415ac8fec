import { useEffect } from "react";
import { changeWords } from "../state/notifications.ts";
import { prefer, preferences, type TextSize } from "../state/preferences.ts";
import { LANGUAGES, type Language } from "../text/languages.ts";
import { t } from "../text/settings.ts";
import { shownLanguage } from "../text/translate.ts";
import { isMac } from "../ui/platform.ts";
import { Select } from "../ui/select.tsx";
import { noticeWords } from "./notice-words.ts";
import { PersonalInstructions } from "./personal-instructions.tsx";
import { ThemePicker } from "./theme-picker.tsx";

const LANGUAGE_OPTIONS = (Object.entries(LANGUAGES) as [Language, string][]).map(([value, text]) => ({
  value,
  text,
}));

/** How the app looks, speaks and listens. */
export function GeneralSettings() {
  const { language, sendWith, textSize } = preferences();
  const shown = shownLanguage((state) => state.language);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words are those of the language
  useEffect(() => {
    void changeWords(noticeWords()).catch(() => undefined); // They stay as they were.
  }, [shown]);
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
