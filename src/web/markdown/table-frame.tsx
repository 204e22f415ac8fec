import { type ReactNode, useEffect, useRef } from "react";
import type { Direction } from "../text/languages.ts";

/** A table that scrolls if it is wider than the text, and fades on the side where it goes on. */
export function TableFrame({ dir, children }: { dir: Direction | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = frame.current;
    if (!box) return;
    const observer = new ResizeObserver(() => fade(box));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={frame}
      className="table"
      dir={dir}
      tabIndex={0}
      onScroll={({ currentTarget }) => fade(currentTarget)}
    >
      {children}
    </div>
  );
}

function fade(box: HTMLElement): void {
  const left = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
  box.dataset.fade = String(left > 1);
  box.dataset.wide = String(box.scrollWidth > box.clientWidth + 1);
}
