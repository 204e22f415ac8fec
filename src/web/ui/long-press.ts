import { type PointerEvent, useRef } from "react";

const LONG_MS = 450;
/** A finger that moves further scrolls. */
const STILL_PX = 10;

/** Returns handlers that notice a long press of a finger. `wasLong` tells the click that follows. */
export function useLongPress() {
  const press = useRef({ at: 0, x: 0, y: 0, touch: false });
  return {
    onPointerDown({ timeStamp, clientX, clientY, pointerType }: PointerEvent): void {
      press.current = { at: timeStamp, x: clientX, y: clientY, touch: pointerType !== "mouse" };
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      const { x, y } = press.current;
      if (Math.hypot(clientX - x, clientY - y) > STILL_PX) press.current.touch = false;
    },
    onContextMenu(event: { preventDefault(): void }): void {
      if (press.current.touch) event.preventDefault();
    },
    wasLong: () => press.current.touch && performance.now() - press.current.at >= LONG_MS,
  };
}
