import { type ReactNode, useEffect, useRef } from "react";
import type { Direction } from "../text/languages.ts";

/** Watches the tables of the page together. */
let watcher: ResizeObserver | undefined;

/** A table that scrolls if it is wider than the text, and fades on the side where it goes on. */
export function TableFrame({ dir, children }: { dir: Direction | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    watcher ??= new ResizeObserver((entries) => fade(entries.map(({ target }) => target)));
    watcher.observe(box);
    return () => watcher?.unobserve(box);
  }, []);
  return (
    <div
      ref={frame}
      className="table"
      dir={dir}
      tabIndex={0}
      onScroll={({ currentTarget }) => fade([currentTarget])}
    >
      {children}
    </div>
  );
}

/** Measures all before it changes any: otherwise the browser lays out the page again for each of them. */
function fade(boxes: readonly Element[]): void {
  const measured = boxes.map((box) => ({
    box,
    left: box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft),
    isWide: box.scrollWidth > box.clientWidth + 1,
  }));
  for (const { box, left, isWide } of measured) {
    box.setAttribute("data-fade", String(left > 1));
    box.setAttribute("data-wide", String(isWide));
  }
}
