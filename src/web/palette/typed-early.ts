import { useLayoutEffect } from "react";
import { view } from "../state/view.ts";

let typed = "";

/** Keeps what a person types while the palette loads, so that it reaches no other field. */
export function TypedEarly() {
  useLayoutEffect(() => {
    typed = "";
    addEventListener("keydown", keep, true);
    return () => removeEventListener("keydown", keep, true);
  }, []);
  return null;
}

/** Returns what was typed before the palette was there, once. */
export function takeTyped(): string {
  const taken = typed;
  typed = "";
  return taken;
}

function keep(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") view.setState({ dialog: undefined });
  else if (event.key === "Backspace") typed = typed.slice(0, -1);
  else if (event.key.length === 1) typed += event.key;
  event.preventDefault();
  event.stopPropagation();
}
