import { memo, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Longer formulas, and those with more signs to set, are shown as they were written. */
const MAX_CHARACTERS = 1_500;
const MAX_SIGNS = 300;
/** Chemistry takes several elements for each sign. */
const MAX_CHEMICAL_SIGNS = 100;
const CHEMISTRY = /\\(?:ce|pu)(?![a-zA-Z])/;
/** How long formulas may be set, and how many elements they may have, before the page lays them out. */
const SLICE_MS = 8;
const SLICE_ELEMENTS = 1_000;

/** Each returns how many elements it has made. */
const waiting: (() => number)[] = [];

/** Does the work soon, together with other work of this kind, but not all of it at once. */
function inTurn(work: () => number): void {
  waiting.push(work);
  if (waiting.length === 1) setTimeout(workOnWaiting);
}

function workOnWaiting(): void {
  const ends = performance.now() + SLICE_MS;
  let elements = 0;
  while (waiting.length > 0 && performance.now() < ends && elements < SLICE_ELEMENTS)
    elements += waiting.shift()?.() ?? 0;
  // The page lays them out before the next ones are set; it would lay out those of several slices at once.
  if (waiting.length > 0) requestAnimationFrame(() => setTimeout(workOnWaiting));
}

/** KaTeX, once it is loaded. */
let typeset: typeof import("./typeset.ts").typeset | undefined;
let isFirst = true;

/** Returns true for one formula at a time, which appears at once: set later, it would push aside what follows it. */
function isAlone(): boolean {
  if (!isFirst || waiting.length > 0) return false;
  isFirst = false;
  setTimeout(() => {
    isFirst = true;
  });
  return true;
}

/** A formula. Its source is shown until KaTeX is loaded, or if KaTeX can't read it. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setIsSet] = useState(false);
  useLayoutEffect(() => {
    let wanted = true;
    setIsSet(false);
    if (isLong(tex)) return;
    const isChemistry = CHEMISTRY.test(tex);
    if (typeset && place.current && !isChemistry && isAlone()) {
      setIsSet(typeset(tex, display, place.current));
      return;
    }
    void import("./typeset.ts").then(async (katex) => {
      ({ typeset } = katex);
      if (isChemistry) await katex.loadChemistry();
      inTurn(() => {
        if (!wanted || !place.current) return 0;
        const done = katex.typeset(tex, display, place.current);
        // At once, or it would be laid out together with those of the next slice.
        flushSync(() => setIsSet(done));
        return place.current.getElementsByTagName("*").length;
      });
    });
    return () => {
      wanted = false;
    };
  }, [tex, display]);
  return (
    <span className="formula" data-display={display} tabIndex={display ? 0 : undefined}>
      <span ref={place} hidden={!isSet} />
      {!isSet && <code>{tex}</code>}
    </span>
  );
});

/** A command, such as `\alpha`, is one sign. Braces and spaces are none. */
function isLong(tex: string): boolean {
  if (tex.length > MAX_CHARACTERS) return true;
  const signs = tex.replace(/\\[a-z]+/gi, "x").replace(/[\s{}]/g, "").length;
  return signs > (CHEMISTRY.test(tex) ? MAX_CHEMICAL_SIGNS : MAX_SIGNS);
}
