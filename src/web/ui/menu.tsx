import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Floating } from "./floating.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { movedBy, useTypeAhead } from "./list-keys.ts";

export interface MenuItem {
  label: string;
  /** A second line. */
  hint?: string;
  icon?: IconName;
  run(): void;
  danger?: boolean;
  disabled?: boolean;
  /** Whether it is the one in use. */
  checked?: boolean;
  /** Whether a line parts it from those above. */
  apart?: boolean;
}

interface MenuProps {
  label: string;
  items: MenuItem[];
  children: ReactNode;
  align?: "start" | "end";
  className?: string;
  disabled?: boolean;
}

/** A button that opens a menu. Arrows, Home, End and letters move; Escape closes it and returns the focus. */
export function Menu({ label, items, children, align = "end", className = "quiet", disabled }: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const find = useTypeAhead();
  const entries = () => [...(root.current?.querySelectorAll<HTMLElement>("[data-entry]:enabled") ?? [])];

  useEffect(() => {
    if (open) root.current?.querySelector<HTMLElement>("[data-entry]:enabled")?.focus();
  }, [open]);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!open) {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      setOpen(true);
      return;
    }
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const texts = all.map((entry) => entry.textContent.trim());
    const next = movedBy(event.key, at, all.length) ?? find(event.key, texts, at);
    if (next !== undefined) all[next]?.focus();
    else if (event.key === "Escape") close();
    else {
      if (event.key === "Tab") setOpen(false);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the button and its items
    <div className="menu" ref={root} onKeyDown={onKeyDown}>
      <Button
        ref={button}
        className={className}
        disabled={disabled}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </Button>
      {open && (
        <Floating
          anchor={button}
          align={align}
          heading={label}
          onClose={() => setOpen(false)}
          role="menu"
          aria-label={label}
          className="menu-list"
        >
          {items.map((item) => (
            <Entry
              key={item.label}
              item={item}
              choose={() => {
                close();
                item.run();
              }}
            />
          ))}
        </Floating>
      )}
    </div>
  );
}

function Entry({ item, choose }: { item: MenuItem; choose(): void }) {
  const radio = item.checked !== undefined;
  return (
    <>
      {item.apart && <hr />}
      <Button
        data-entry
        role={radio ? "menuitemradio" : "menuitem"}
        aria-checked={item.checked}
        tabIndex={-1}
        disabled={item.disabled}
        className={item.danger ? "danger" : undefined}
        onClick={choose}
      >
        {item.icon && <Icon name={item.icon} />}
        <span className="entry">
          {item.label}
          {item.hint !== undefined && <span className="entry-hint">{item.hint}</span>}
        </span>
        {item.checked && <Icon name="check" size="small" />}
      </Button>
    </>
  );
}
