import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { choosePanelWidth, panelLimits, panelWidth } from "../state/panel-width.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { isRightToLeft, readingKey } from "../ui/direction.ts";

const STEP = 24;

/** The line between conversation and panel: it can be dragged and moved by keys, and a double click puts it back. */
export function Divider() {
  const chosen = panelWidth((state) => state.chosen);
  const byPerson = view((state) => state.artifact?.byPerson);
  const [dragging, setDragging] = useState(false);
  const { least, most, usual } = panelLimits();
  const width = Math.round((byPerson ? chosen : undefined) ?? usual);

  function move(wanted: number | undefined): void {
    choosePanelWidth(wanted);
    view.setState(({ artifact }) => (artifact ? { artifact: { ...artifact, byPerson: true } } : {}));
  }

  function drag(on: boolean): void {
    setDragging(on);
    const app = document.querySelector<HTMLElement>(".app");
    if (app) app.dataset.dragging = String(on);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const wanted = { ArrowLeft: width + STEP, ArrowRight: width - STEP, Home: least, End: most }[
      readingKey(event.key)
    ];
    if (wanted === undefined) return;
    event.preventDefault();
    move(wanted);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line cannot be moved
    <div
      className="divider"
      data-part="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("panelWidth")}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={width}
      title={t("panelWidth")}
      onKeyDown={onKeyDown}
      onDoubleClick={() => move(undefined)}
      onPointerDown={(event: PointerEvent) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag(true);
      }}
      onPointerMove={({ clientX }) => {
        if (dragging) move(isRightToLeft() ? clientX : innerWidth - clientX);
      }}
      onPointerUp={() => drag(false)}
      onPointerCancel={() => drag(false)}
    />
  );
}
