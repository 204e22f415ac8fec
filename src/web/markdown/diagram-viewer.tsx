import { type KeyboardEvent, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import { attempt } from "../state/notices.ts";
import "../style/diagram-viewer.css";
import { percent } from "../text/t.ts";
import { t } from "../text/viewing.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { savePicture } from "./save-picture.ts";
import { useZoom } from "./use-zoom.ts";

const STEP = 1.25;
const MOVE = 60;
const FACTORS: Partial<Record<string, number>> = { "+": STEP, "=": STEP, "-": 1 / STEP, "−": 1 / STEP };
const MOVES: Partial<Record<string, { x: number; y: number }>> = {
  ArrowLeft: { x: MOVE, y: 0 },
  ArrowRight: { x: -MOVE, y: 0 },
  ArrowUp: { x: 0, y: MOVE },
  ArrowDown: { x: 0, y: -MOVE },
};

interface Props {
  picture: { address: string; width: number; height: number };
  /** What the picture shows, for those who don't see it. */
  alt: string;
  onClose(): void;
}

/** A diagram that fills the window: it can be zoomed, moved and saved. */
export function DiagramViewer({ picture, alt, onClose }: Props) {
  const heading = useId();
  const stage = useRef<HTMLElement>(null);
  const { zoom, fit, zoomBy, moveBy } = useZoom(stage, picture);
  useEffect(() => stage.current?.focus(), []);

  function onKeyDown(event: KeyboardEvent): void {
    // The shortcuts of the page beneath do not apply here.
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const factor = FACTORS[event.key];
    const move = MOVES[event.key];
    if (factor !== undefined) zoomBy(factor);
    else if (move) moveBy(move);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  }

  const { scale, x, y } = zoom;
  const [width, height] = [picture.width * scale, picture.height * scale];
  return createPortal(
    <Modal
      labelledBy={heading}
      onClose={onClose}
      className="diagram-viewer"
      data-part="diagram-viewer"
      onKeyDown={onKeyDown}
    >
      <header>
        <h2 id={heading}>{t("kindDiagram")}</h2>
        <span className="grow" />
        <IconButton icon="minus" label={t("zoomOut")} onClick={() => zoomBy(1 / STEP)} />
        <Button className="quiet zoom-level" title={t("zoomFit")} onClick={fit}>
          <span className="unseen">{t("zoomFit")}, </span>
          <span aria-live="polite">{percent(Math.round(scale * 100) / 100)}</span>
        </Button>
        <IconButton icon="plus" label={t("zoomIn")} onClick={() => zoomBy(STEP)} />
        <Menu
          label={t("download")}
          items={(["svg", "png"] as const).map((format) => ({
            label: t(format === "svg" ? "saveSvg" : "savePng"),
            run: () => void attempt(() => savePicture(picture, format)),
          }))}
        >
          <Icon name="download" />
        </Menu>
        <IconButton icon="close" label={t("close")} onClick={onClose} />
      </header>
      <section ref={stage} className="diagram-stage" tabIndex={0} aria-label={t("zoomHint")}>
        <img
          src={picture.address}
          alt={alt}
          draggable={false}
          style={{
            width,
            height,
            transform: `translate(${x - width / 2}px, ${y - height / 2}px)`,
          }}
        />
      </section>
    </Modal>,
    document.body,
  );
}
