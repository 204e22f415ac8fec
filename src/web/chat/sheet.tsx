import { type PointerEvent, type ReactNode, useRef, useState } from "react";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** Pulled down this far, it folds. */
const FOLD_PIXELS = 60;

/** What lies in the conversation, and on phones above it until it is pulled down. Folding it decides nothing. */
export function Sheet({ children }: { children: ReactNode }) {
  const [folded, setFolded] = useState(false);
  const start = useRef<number>(undefined);
  const pulled = ({ clientY }: PointerEvent) => {
    if (start.current !== undefined && clientY - start.current > FOLD_PIXELS) setFolded(true);
  };
  return (
    <>
      {/* The sheet lies above the answer, which says what it waits for. */}
      {!folded && (
        <p className="sheet-waits">
          <span className="ring" />
          {t("waitsForYou")}
        </p>
      )}
      <div className="decision-sheet" data-folded={folded}>
        <Button
          className="sheet-grip"
          aria-label={t("fold")}
          onClick={() => setFolded(true)}
          onPointerDown={(event) => {
            start.current = event.clientY;
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={pulled}
          onPointerUp={() => {
            start.current = undefined;
          }}
        />
        {children}
      </div>
    </>
  );
}
