import { type ComponentProps, type RefObject, useLayoutEffect, useRef } from "react";

/** Between what floats and the edges of the window. */
const MARGIN = 8;
/** Between what floats and its button. */
const GAP = 6;
/** With less room than this below, it may be above. */
const LEAST = 320;

interface FloatingProps extends ComponentProps<"div"> {
  /** What it belongs to. */
  anchor: RefObject<HTMLElement | null>;
  /** The edge of the anchor that it is flush with. */
  align?: "start" | "end";
  /** On phones it is a sheet with this heading. */
  heading?: string;
  /** False if it stays beside its anchor on phones too. */
  sheet?: boolean;
  onClose(): void;
}

/** Floats above everything beside its anchor, on phones as a sheet at the bottom. A click outside closes it. */
export function Floating(props: FloatingProps) {
  const { anchor, align = "start", heading, sheet = true, onClose, children, ...rest } = props;
  const layer = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    layer.current?.showPopover();
    const put = () => {
      if (anchor.current && box.current) place(box.current, anchor.current, align);
    };
    put();
    const scrolled = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) put();
    };
    addEventListener("resize", put);
    document.addEventListener("scroll", scrolled, true);
    return () => {
      removeEventListener("resize", put);
      document.removeEventListener("scroll", scrolled, true);
    };
  }, [anchor, align]);

  // Before it is seen: other effects may wait until the key is pressed that they are to hear.
  useLayoutEffect(() => {
    const outside = ({ target }: Event) => {
      if (!(target instanceof Node) || layer.current?.contains(target) || anchor.current?.contains(target))
        return;
      close.current();
    };
    // On a phone the focus stays on the button, so that no keyboard opens. Elsewhere the list handles the key itself.
    const onEscape = (event: KeyboardEvent) => {
      if (
        event.key !== "Escape" ||
        event.defaultPrevented ||
        !anchor.current?.contains(document.activeElement)
      )
        return;
      event.preventDefault();
      close.current();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", onEscape);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", onEscape);
    };
  }, [anchor]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: Escape closes it too
    <div
      ref={layer}
      popover="manual"
      className={sheet ? "layer sheet" : "layer"}
      onClick={({ target }) => {
        if (target === layer.current) onClose();
      }}
    >
      <div ref={box} className="floating">
        {heading !== undefined && (
          <p className="sheet-heading" aria-hidden="true">
            {heading}
          </p>
        )}
        <div {...rest}>{children}</div>
      </div>
    </div>
  );
}

/** Puts a box below its anchor, or above where there is more room, and keeps it inside the window. */
function place(box: HTMLElement, anchor: HTMLElement, align: "start" | "end"): void {
  const { style } = box;
  const rect = anchor.getBoundingClientRect();
  style.setProperty("--least", `${rect.width}px`);
  const rightToLeft = getComputedStyle(anchor).direction === "rtl";
  const start = rightToLeft ? innerWidth - rect.right : rect.left;
  const wanted = align === "start" ? start : start + rect.width - box.offsetWidth;
  const most = innerWidth - box.offsetWidth - MARGIN;
  const { top, bottom } = edgesOf(anchor, rect);
  const below = innerHeight - bottom - GAP - MARGIN;
  const above = top - GAP - MARGIN;
  const up = below < Math.min(box.scrollHeight, LEAST) && above > below;
  style.setProperty("--start", `${Math.max(MARGIN, Math.min(wanted, most))}px`);
  style.setProperty("--top", up ? "auto" : `${bottom + GAP}px`);
  style.setProperty("--bottom", up ? `${innerHeight - top + GAP}px` : "auto");
  style.setProperty("--room", `${up ? above : below}px`);
}

/** What belongs to the message field stands clear of it, and of what is written there, while there is room. */
function edgesOf(anchor: HTMLElement, rect: DOMRect): { top: number; bottom: number } {
  const frame = anchor.closest("[data-part=composer]")?.getBoundingClientRect();
  if (!frame) return rect;
  const room = Math.max(frame.top, innerHeight - frame.bottom) - GAP - MARGIN;
  return room < LEAST ? rect : frame;
}
