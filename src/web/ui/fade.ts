import { type RefObject, type UIEvent, useEffect, useRef } from "react";

/** Watches everything on the page that scrolls sideways together. */
let watcher: ResizeObserver | undefined;

interface Fading {
  ref: RefObject<HTMLDivElement | null>;
  onScroll(event: UIEvent<HTMLDivElement>): void;
}

/** Notes on an element whether it is wider than its place (`data-wide`), and whether it continues at its end (`data-fade`). */
export function useFade(): Fading {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    watcher ??= new ResizeObserver((entries) => fade(entries.map(({ target }) => target)));
    watcher.observe(box);
    return () => watcher?.unobserve(box);
  }, []);
  return { ref, onScroll: ({ currentTarget }) => fade([currentTarget]) };
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
