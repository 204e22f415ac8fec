import type { ReactNode } from "react";
import type { Direction } from "../text/languages.ts";
import { useFade } from "../ui/fade.ts";

/** A table that scrolls if it is wider than the text, and fades on the side where it goes on. */
export function TableFrame({ dir, children }: { dir: Direction | undefined; children: ReactNode }) {
  return (
    <div {...useFade()} className="table" dir={dir} tabIndex={0}>
      {children}
    </div>
  );
}
