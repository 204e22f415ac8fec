import { type RefObject, useEffect } from "react";
import { attempt } from "../state/notices.ts";
import { canDictate, speech } from "../state/speech.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";

/** Starts and ends dictation into a field, where the browser can. */
export function DictationButton({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const on = speech(({ heard }) => heard !== undefined);
  useEffect(() => () => speech.getState().finish?.(), []);
  if (!canDictate()) return null;
  return (
    <IconButton
      icon="microphone"
      label={t(on ? "stopDictating" : "dictate")}
      className="dictate"
      aria-pressed={on}
      onClick={() =>
        attempt(async () => {
          const { startDictation, stopDictation } = await import("./dictation.ts");
          if (on) stopDictation();
          else if (field.current) startDictation(field.current);
        })
      }
    />
  );
}

/** The words that were heard and may still change. */
export function Heard() {
  const heard = speech((state) => state.heard);
  if (heard === undefined) return null;
  return (
    <p className="heard" dir="auto">
      {heard || t("listening")}
    </p>
  );
}
