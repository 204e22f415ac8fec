import { useState } from "react";
import type { MemoryListing } from "../../protocol/projects.ts";
import { settingsAddress } from "../shell/address.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";

/** Says how much of what is remembered an answer was given with. It unfolds to the lines. */
export function MemoryLine({ ids }: { ids: readonly string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="steps" data-part="step">
      <Button className="step-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="memory" size="small" />
        <span className="step-name">{t("memoryUsed", { count: ids.length })}</span>
        <Icon name="next" size="tiny" />
      </Button>
      {open && <Lines ids={ids} />}
    </div>
  );
}

/** The same as an entry of the timeline. */
export function MemoryUsed({ ids }: { ids: readonly string[] }) {
  return (
    <div className="call">
      <p className="step-head">
        <span>{t("memoryUsed", { count: ids.length })}</span>
      </p>
      <Lines ids={ids} />
    </div>
  );
}

/** Lines that were forgotten since are not shown any more. */
function Lines({ ids }: { ids: readonly string[] }) {
  const memory = useRoute<MemoryListing>("/me/memory");
  return (
    <ul className="memory-used">
      {memory?.lines
        .filter(({ id }) => ids.includes(id))
        .map(({ id, text }) => (
          <li key={id}>
            <a href={settingsAddress("memory")} dir="auto">
              {text}
            </a>
          </li>
        ))}
    </ul>
  );
}
