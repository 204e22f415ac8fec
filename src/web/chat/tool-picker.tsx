import { Suspense, useRef, useState } from "react";
import { person } from "../state/person.ts";
import { useToolsOff } from "../state/tool-choice.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";

const load = () => import("../choosing/tool-list.tsx");
const ToolList = loadLater(async () => (await load()).ToolList);

/** Opens the switches of the tools. A dot says that some are off. */
export function ToolPicker() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const tools = person((state) => state.tools);
  const off = useToolsOff();
  const on = tools.filter(({ name }) => !off.includes(name)).length;
  if (tools.length === 0) return null;
  return (
    <div className="picker" data-part="tool-picker">
      <Button
        ref={button}
        className="quiet tool-picker"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t("toolsCount", { on, all: tools.length })}
        title={t("tools")}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          // The list has the focus and its own keys, but not while it is loading.
          if (!open || event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(false);
        }}
      >
        <Icon name="tools" size="small" />
        <span>{t("tools")}</span>
        {on < tools.length && <span className="some-off" />}
      </Button>
      {open && (
        <Suspense>
          <ToolList
            anchor={button}
            onClose={(back) => {
              setOpen(false);
              if (back) button.current?.focus();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
