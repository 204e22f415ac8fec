import type { MouseEvent } from "react";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** A small number that leads to its footnote in the same answer. */
export function FootnoteMark({ name }: { name: string }) {
  function show({ currentTarget }: MouseEvent): void {
    const notes = currentTarget.closest(".prose")?.querySelectorAll<HTMLElement>("[data-footnote]") ?? [];
    [...notes].find(({ dataset }) => dataset.footnote === name)?.scrollIntoView({ block: "nearest" });
  }
  return (
    <sup>
      <Button className="footnote-mark" aria-label={t("footnote", { name })} onClick={show}>
        {name}
      </Button>
    </sup>
  );
}
