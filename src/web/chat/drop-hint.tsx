import { useEffect, useState } from "react";
import { t } from "../text/t.ts";

/** Says that files can be dropped while some are dragged over the page. */
export function DropHint() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const enter = ({ dataTransfer }: DragEvent) => {
      if (dataTransfer?.types.includes("Files")) setOver(true);
    };
    // Without a related element, the pointer has left the page.
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const end = () => setOver(false);
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    // A page that takes the files itself keeps the event from everything above it.
    addEventListener("drop", end, true);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", end, true);
    };
  }, []);
  return over ? <div className="drop-hint">{t("dropHere")}</div> : null;
}
