import { memo, useEffect, useRef, useState } from "react";

/** Longer formulas are shown as they were written. */
const MAX_CHARACTERS = 4_000;

/** A formula. Its source is shown until KaTeX is loaded, or if KaTeX can't read it. */
export const Formula = memo(function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setIsSet] = useState(false);
  useEffect(() => {
    let wanted = true;
    setIsSet(false);
    if (tex.length > MAX_CHARACTERS) return;
    void import("./typeset.ts").then(({ typeset }) => {
      if (wanted && place.current) setIsSet(typeset(tex, display, place.current));
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
