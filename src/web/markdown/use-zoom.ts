import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { fitted, moved, type Size, type Zoom, zoomed } from "./zoom.ts";

interface Point {
  x: number;
  y: number;
}

/** How much a turn of the wheel zooms. A pinch on a touchpad arrives as small turns with Ctrl. */
const PER_WHEEL_PIXEL = 0.0015;
const PER_PINCH_PIXEL = 0.01;
const MOST_PER_TURN = 120;

/** Zooms and moves a picture on a stage: by wheel, by dragging, by two fingers, and by the returned functions. */
export function useZoom(stage: RefObject<HTMLElement | null>, picture: Size) {
  const [zoom, setZoom] = useState<Zoom>({ scale: 1, x: 0, y: 0 });
  const size = useRef(picture);
  size.current = picture;
  const untouched = useRef(true);
  const stageSize = (): Size => ({
    width: stage.current?.clientWidth ?? 0,
    height: stage.current?.clientHeight ?? 0,
  });

  function fit(): void {
    untouched.current = true;
    setZoom(fitted(size.current, stageSize()));
  }
  function zoomBy(factor: number, at?: Point): void {
    untouched.current = false;
    setZoom((now) => moved(zoomed(now, factor, at), { x: 0, y: 0 }, size.current, stageSize()));
  }
  function moveBy(by: Point): void {
    untouched.current = false;
    setZoom((now) => moved(now, by, size.current, stageSize()));
  }
  const act = useRef({ fit, zoomBy, moveBy });
  act.current = { fit, zoomBy, moveBy };

  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture, for example in the other theme, is fitted again
  useLayoutEffect(() => act.current.fit(), [picture.width, picture.height]);

  useEffect(() => {
    const place = stage.current;
    if (!place) return;
    const resized = new ResizeObserver(() => untouched.current && act.current.fit());
    resized.observe(place);
    const stop = followPointers(place, {
      zoomBy: (factor, at) => act.current.zoomBy(factor, at),
      moveBy: (by) => act.current.moveBy(by),
    });
    return () => {
      resized.disconnect();
      stop();
    };
  }, [stage]);

  return { zoom, fit, zoomBy, moveBy };
}

interface Acts {
  zoomBy(factor: number, at: Point): void;
  moveBy(by: Point): void;
}

/** Follows wheel, mouse and fingers on an element. Returns a function that ends it. */
function followPointers(place: HTMLElement, { zoomBy, moveBy }: Acts): () => void {
  const down = new Map<number, Point>();
  const ended = new AbortController();
  const options = { signal: ended.signal };

  function fromMiddle({ x, y }: Point): Point {
    const box = place.getBoundingClientRect();
    return { x: x - box.left - box.width / 2, y: y - box.top - box.height / 2 };
  }

  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    const turn = Math.min(MOST_PER_TURN, Math.max(-MOST_PER_TURN, event.deltaY));
    const factor = Math.exp(-turn * (event.ctrlKey ? PER_PINCH_PIXEL : PER_WHEEL_PIXEL));
    zoomBy(factor, fromMiddle({ x: event.clientX, y: event.clientY }));
  }

  function onMove({ pointerId, clientX: x, clientY: y }: PointerEvent): void {
    const before = down.get(pointerId);
    if (!before) return;
    down.set(pointerId, { x, y });
    const other = [...down].find(([id]) => id !== pointerId)?.[1];
    if (!other) {
      moveBy({ x: x - before.x, y: y - before.y });
      return;
    }
    const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
    const middle = { x: (x + other.x) / 2, y: (y + other.y) / 2 };
    moveBy({ x: (x - before.x) / 2, y: (y - before.y) / 2 });
    zoomBy(apart({ x, y }) / apart(before), fromMiddle(middle));
  }

  place.addEventListener("wheel", onWheel, { ...options, passive: false });
  place.addEventListener(
    "pointerdown",
    ({ pointerId, button, clientX: x, clientY: y }) => {
      if (button !== 0 || down.size >= 2) return;
      place.setPointerCapture(pointerId);
      down.set(pointerId, { x, y });
    },
    options,
  );
  place.addEventListener("pointermove", onMove, options);
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const)
    place.addEventListener(end, ({ pointerId }) => down.delete(pointerId), options);
  return () => ended.abort();
}
