import { type ReactNode, useState } from "react";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** Longer ones would hide the answer below many screens of what the person knows already. */
const LONG_CHARACTERS = 3_000;
const MANY_LINES = 40;

/** What a person wrote. Of a long message the beginning, until they want the rest. */
export function FoldedWords({ text, children }: { text: string; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const isLong = text.length > LONG_CHARACTERS || text.split("\n", MANY_LINES + 1).length > MANY_LINES;
  if (!isLong) return children;
  return (
    <>
      <div className="asked-long" data-folded={!open}>
        {children}
      </div>
      <Button className="link asked-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t(open ? "showLess" : "showWhole")}
      </Button>
    </>
  );
}
