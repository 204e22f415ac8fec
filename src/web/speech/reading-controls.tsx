import { speech } from "../state/speech.ts";
import { t } from "../text/speech.ts";
import { IconButton } from "../ui/button.tsx";
import { pauseReading, resumeReading, stopReading } from "./read-aloud.ts";

/** Pauses and ends what is read aloud. */
export function ReadingControls() {
  const paused = speech(({ reading }) => reading?.paused ?? false);
  return (
    <span className="reading-controls">
      {paused ? (
        <IconButton icon="play" label={t("resumeReading")} onClick={resumeReading} />
      ) : (
        <IconButton icon="pause" label={t("pauseReading")} onClick={pauseReading} />
      )}
      <IconButton icon="stop" label={t("stopReading")} onClick={stopReading} />
    </span>
  );
}
