import { type ComponentProps, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Floating } from "./floating.tsx";
import { Icon } from "./icons.tsx";
import { movedBy, useTypeAhead } from "./list-keys.ts";

export interface SelectOption<Value> {
  value: Value;
  text: string;
  /** A second line. */
  hint?: string | undefined;
  title?: string | undefined;
}

interface Props<Value> extends Omit<ComponentProps<"button">, "value" | "onChange"> {
  value: Value | undefined;
  options: readonly SelectOption<Value>[];
  onChoose(value: Value): void;
  /** Shown beside it. */
  label?: string;
}

/** A button that shows the chosen option and opens the list of all. The focus stays on the button. */
export function Select<Value extends string | number>(props: Props<Value>) {
  const { value, options, onChoose, label, className = "", name, ...rest } = props;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [at, setAt] = useState<number>();
  const find = useTypeAhead();
  const open = at !== undefined;
  const chosen = options.findIndex((option) => option.value === value);

  useEffect(() => {
    if (at !== undefined) document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at, id]);

  function choose(index: number): void {
    const option = options[index];
    setAt(undefined);
    if (option && option.value !== value) onChoose(option.value);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const from = at ?? chosen;
    const texts = options.map(({ text }) => text);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab") {
      setAt(undefined);
      return;
    }
    const found = find(event.key, texts, from);
    if (found !== undefined) setAt(found);
    else if (event.key === "Enter" || event.key === " ") open ? choose(at) : setAt(Math.max(chosen, 0));
    else if (event.key === "Escape" && open) setAt(undefined);
    else {
      const moved = movedBy(event.key, from, options.length);
      if (moved === undefined) return;
      setAt(open || event.key === "Home" || event.key === "End" ? moved : Math.max(chosen, 0));
    }
    event.preventDefault();
    event.stopPropagation();
  }

  const accessible = label ?? rest["aria-label"];
  const field = (
    <>
      <Button
        ref={button}
        role="combobox"
        className={`select ${className}`}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open ? `${id}-${at}` : undefined}
        aria-labelledby={label === undefined ? undefined : `${id}-label`}
        onClick={() => setAt(open ? undefined : Math.max(chosen, 0))}
        onKeyDown={onKeyDown}
        {...rest}
      >
        <span>{options[chosen]?.text}</span>
        <Icon name="down" size="tiny" />
      </Button>
      {name !== undefined && <input type="hidden" name={name} value={value ?? ""} />}
      {open && (
        <Floating
          anchor={button}
          align="end"
          heading={accessible ?? ""}
          onClose={() => setAt(undefined)}
          id={`${id}-list`}
          role="listbox"
          aria-label={accessible}
          className="menu-list options"
        >
          {options.map((option, index) => (
            <Choice
              key={option.value}
              id={`${id}-${index}`}
              option={option}
              chosen={index === chosen}
              marked={index === at}
              mark={() => index !== at && setAt(index)}
              choose={() => choose(index)}
            />
          ))}
        </Floating>
      )}
    </>
  );
  if (label === undefined) return field;
  return (
    <div className="labeled">
      <span id={`${id}-label`}>{label}</span>
      {field}
    </div>
  );
}

interface ChoiceProps {
  id: string;
  option: Omit<SelectOption<unknown>, "value">;
  chosen: boolean;
  marked: boolean;
  mark(): void;
  choose(): void;
}

function Choice({ id, option, chosen, marked, mark, choose }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the button has the keys and the focus
    <div
      id={id}
      role="option"
      aria-selected={chosen}
      data-at={marked}
      title={option.title}
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={mark}
      onClick={choose}
    >
      <span className="entry">
        {option.text}
        {option.hint !== undefined && <span className="entry-hint">{option.hint}</span>}
      </span>
      {chosen && <Icon name="check" size="small" />}
    </div>
  );
}
