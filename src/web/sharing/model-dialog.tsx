import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import type { ModelListing } from "../../protocol/chat.ts";
import { person } from "../state/person.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { movedBy } from "../ui/list-keys.ts";

interface Props {
  title: string;
  /** A model that is not offered. */
  except?: string | undefined;
  /** The ids of those that are chosen, where several can be. */
  chosen?: readonly string[];
  children?: ReactNode;
  onChoose(model: ModelListing): void;
  onClose(): void;
}

/** More would be too many to look through: typing finds the rest. */
const MOST = 40;

/** Asks for a model. Typing searches, arrows move, Enter chooses. */
export function ModelDialog({ title, except, chosen: several, children, onChoose, onClose }: Props) {
  const id = useId();
  const models = person((state) => state.models);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const words = query.toLowerCase().split(/\s+/);
  const found = models
    .filter((model) => model.id !== except)
    .filter(({ id: name, label }) => words.every((word) => `${label} ${name}`.toLowerCase().includes(word)))
    .slice(0, MOST);
  const marked = Math.min(at, found.length - 1);

  function choose(model: ModelListing): void {
    onChoose(model);
    if (several) setQuery("");
  }

  function onKeyDown(event: KeyboardEvent): void {
    const chosen = found[marked];
    const moved = ["ArrowDown", "ArrowUp"].includes(event.key)
      ? movedBy(event.key, marked, found.length)
      : undefined;
    if (moved !== undefined) setAt(moved);
    else if (event.key === "Enter" && chosen) choose(chosen);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={title} onClose={onClose} className="model-dialog">
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${marked}`}
        aria-label={t("searchModel")}
        placeholder={t("searchModel")}
        autoComplete="off"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length === 0 && <p className="hint">{t("noOtherModel")}</p>}
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={title}
        aria-multiselectable={several !== undefined}
        className="model-options"
      >
        {found.map((model, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field above has the keys and the focus
          <div
            key={model.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={several ? several.includes(model.id) : index === marked}
            data-at={index === marked}
            ref={(element) => {
              if (index === marked) element?.scrollIntoView({ block: "nearest" });
            }}
            onPointerMove={() => index !== marked && setAt(index)}
            onClick={() => choose(model)}
          >
            {model.label}
            {several?.includes(model.id) && <Icon name="check" size="small" />}
          </div>
        ))}
      </div>
      {children}
    </Dialog>
  );
}
