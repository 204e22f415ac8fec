import katex from "katex";
import "katex/dist/katex.min.css";

/** Sets a formula in a place, as elements that are made one by one: no text is ever read as HTML. False where it cannot. */
export function typeset(tex: string, display: boolean, place: HTMLElement): boolean {
  try {
    katex.render(tex, place, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      errorColor: "currentColor",
      maxExpand: 300,
      maxSize: 20,
    });
    return true;
  } catch {
    place.replaceChildren();
    return false; // The formula is shown as it was written.
  }
}
