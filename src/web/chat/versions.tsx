import type { KeyboardEvent, MouseEvent } from "react";
import { showVersion } from "../state/branches.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { readingKey } from "../ui/direction.ts";

interface Props {
  id: string;
  siblings: string[] | undefined;
  /** The place that all versions share. */
  place: string;
}

/** Switches between the versions of a message: ‹ 2/3 ›. */
export function Versions({ id, siblings, place }: Props) {
  if (!siblings || siblings.length < 2) return null;
  const at = siblings.indexOf(id);

  function go(step: -1 | 1, event: MouseEvent | KeyboardEvent): void {
    const next = siblings?.[at + step];
    if (next === undefined || !siblings) return;
    const top = event.currentTarget.closest(".versions")?.getBoundingClientRect().top ?? 0;
    void showVersion(next, { place, siblings, top });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const key = readingKey(event.key);
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    event.preventDefault();
    go(key === "ArrowLeft" ? -1 : 1, event);
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
      {/* Not `disabled`: the button keeps the focus at the first and last version. */}
      <IconButton
        icon="previous"
        label={t("previousVersion")}
        aria-disabled={at === 0}
        onClick={(event) => go(-1, event)}
      />
      <span aria-hidden="true">{`${position.version} / ${position.of}`}</span>
      <span className="unseen">{t("versionShown", position)}</span>
      <IconButton
        icon="next"
        label={t("nextVersion")}
        aria-disabled={at === siblings.length - 1}
        onClick={(event) => go(1, event)}
      />
    </div>
  );
}
