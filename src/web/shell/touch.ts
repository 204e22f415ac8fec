import { view } from "../state/view.ts";
import { isRightToLeft } from "../ui/direction.ts";

/** A swipe begins this close to the edge and goes this far, more across than down. */
const EDGE = 24;
const FAR = 56;
const DRAWER = "(max-width: 999px)";

/** Opens the sidebar by a swipe from the edge where it is, and closes it by a swipe back. */
export function watchSwipes(): void {
  let start: { x: number; y: number } | undefined;
  addEventListener(
    "touchstart",
    ({ touches: [touch, another] }) => {
      start = undefined;
      if (!touch || another || isCovered() || !matchMedia(DRAWER).matches) return;
      const fromEdge = isRightToLeft() ? innerWidth - touch.clientX : touch.clientX;
      if (view.getState().drawer || fromEdge <= EDGE) start = { x: touch.clientX, y: touch.clientY };
    },
    { passive: true },
  );
  addEventListener(
    "touchmove",
    ({ touches: [touch] }) => {
      if (!start || !touch) return;
      const across = (touch.clientX - start.x) * (isRightToLeft() ? -1 : 1);
      if (Math.abs(across) < FAR || Math.abs(across) < 2 * Math.abs(touch.clientY - start.y)) return;
      start = undefined;
      view.setState({ drawer: across > 0 });
    },
    { passive: true },
  );
}

/** Keeps the message field above the keyboard in browsers that lay the keyboard over the page. */
export function watchKeyboard(): void {
  const seen = window.visualViewport;
  seen?.addEventListener("resize", () => {
    const covered = seen.scale === 1 && innerHeight - seen.height > 1;
    const { style } = document.documentElement;
    if (covered) style.setProperty("--view-height", `${Math.round(seen.height)}px`);
    else style.removeProperty("--view-height");
    if (covered) scrollTo(0, 0);
  });
}

/** A dialog, or a menu with the layer below it, lies above the page: what a finger does there is not meant for the page. */
function isCovered(): boolean {
  return document.querySelector("dialog[open], .layer") !== null;
}
