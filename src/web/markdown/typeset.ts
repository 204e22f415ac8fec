import katex from "katex";
import "katex/dist/katex.min.css";

/** Adds the commands of chemistry to KaTeX. */
export async function loadChemistry(): Promise<void> {
  await import("katex/contrib/mhchem");
}

/** Renders a formula as elements; no text is parsed as HTML. Returns false if KaTeX can't read it. */
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
