import type { KeyboardEvent, MouseEvent } from "react";
import { showVersion } from "../state/reading.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";

interface Props {
  id: string;
  siblings: string[] | undefined;
  /** What the versions have in common: where they stand. */
  place: string;
}

/** Goes through the versions of a message: ‹ 2/3 ›, by pointer, by keyboard and by ear. */
export function Versions({ id, siblings, place }: Props) {
  if (!siblings || siblings.length < 2) return null;
  const at = siblings.indexOf(id);

  function go(step: -1 | 1, event: MouseEvent | KeyboardEvent): void {
    const wanted = siblings?.[at + step];
    if (wanted === undefined || !siblings) return;
    const top = event.currentTarget.closest(".versions")?.getBoundingClientRect().top ?? 0;
    void showVersion(wanted, { place, siblings, top });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    go(event.key === "ArrowLeft" ? -1 : 1, event);
  }

  const position = { version: at + 1, of: siblings.length };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      className="versions"
      aria-label={t("versions")}
      data-place={place}
      onKeyDown={onKeyDown}
    >
      {/* Not `disabled`: whoever has come to the end keeps the focus. */}
      <button
        type="button"
        className="quiet"
        aria-disabled={at === 0}
        onClick={(event) => go(-1, event)}
        aria-label={t("previousVersion")}
        title={t("previousVersion")}
      >
        <Icon name="previous" />
      </button>
      <span aria-hidden="true">{`${position.version}/${position.of}`}</span>
      <span className="unseen">{t("versionShown", position)}</span>
      <button
        type="button"
        className="quiet"
        aria-disabled={at === siblings.length - 1}
        onClick={(event) => go(1, event)}
        aria-label={t("nextVersion")}
        title={t("nextVersion")}
      >
        <Icon name="next" />
      </button>
    </div>
  );
}
