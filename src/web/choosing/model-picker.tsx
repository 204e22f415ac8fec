import { Suspense, useEffect, useRef, useState } from "react";
import type { ModelListing } from "../../protocol/chat.ts";
import { labelOf } from "../chat/problem-words.ts";
import { useModel } from "../state/model-choice.ts";
import { dateText, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { loadLater } from "../ui/load-later.ts";

const load = () => import("./model-list.tsx");
const ModelList = loadLater(async () => (await load()).ModelList);

/** Shows the model for new questions, and opens the list of all. With `shortcut`, Ctrl / opens it too. */
export function ModelPicker({ shortcut = false }: { shortcut?: boolean }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const current = useModel();
  const label = current?.label ?? t("model");

  useEffect(() => {
    if (!shortcut) return;
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [shortcut]);

  return (
    <div className="picker" data-part="model-picker">
      <Button
        ref={button}
        className="quiet model-picker"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`${t("model")}: ${label}`}
        title={(current && endingOf(current)) ?? t("model")}
        onPointerEnter={load}
        onFocus={load}
        onClick={() => setOpen(!open)}
      >
        <span>{label}</span>
        <Icon name="down" size="tiny" />
      </Button>
      {open && (
        <Suspense>
          <ModelList
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

/** Says when a model will be shut down. */
function endingOf({ deprecated, shutdownDate, successor = "" }: ModelListing): string | undefined {
  if (!deprecated) return undefined;
  const when = shutdownDate ? t("modelEndsOn", { date: dateText(shutdownDate) }) : t("modelEnds");
  return successor === "" ? when : `${when} ${t("modelSuccessor", { successor: labelOf(successor) })}`;
}
