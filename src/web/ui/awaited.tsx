import { useEffect, useState } from "react";
import { t } from "../text/t.ts";

/** Less is not noticed: what is awaited then comes without a flicker. */
const NOTICED_MS = 200;
/** From here on a person wants to know what is going on. */
const LONG_MS = 1_000;
const ROWS = { messages: 4, list: 5, page: 3 };

/** Stands where something will be, about as large, once the wait is noticed. Says what is going on if it takes long. */
export function Awaited({ of }: { of: keyof typeof ROWS }) {
  const isNoticed = useAfter(NOTICED_MS);
  const isLong = useAfter(LONG_MS);
  if (!isNoticed) return null;
  return (
    <>
      <div className="skeleton" data-of={of} aria-hidden="true">
        {Array.from({ length: ROWS[of] }, (_, row) => (
          <span key={row} />
        ))}
      </div>
      {isLong && of !== "list" && <p className="status-line shimmer">{t("loading")}</p>}
    </>
  );
}

/** Returns true once it has been on the page for this long. */
function useAfter(milliseconds: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return isOver;
}
