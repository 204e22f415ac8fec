import { type KeyboardEvent, useRef } from "react";
import { Button } from "./button.tsx";
import { readingKey } from "./direction.ts";

interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  chosen: Name;
  onChoose(name: Name): void;
  /** Prefix of the panels' ids. */
  id: string;
}

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs. The Tab key reaches the chosen one; arrow keys choose another. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, id }: Props<Name>) {
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent): void {
    const step = STEPS[readingKey(event.key)];
    if (!step) return;
    event.preventDefault();
    const next = step(
      tabs.findIndex(({ name }) => name === chosen),
      tabs.length,
    );
    const tab = tabs[next];
    if (!tab) return;
    onChoose(tab.name);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  }

  return (
    <div ref={list} role="tablist" className="tabs" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ name, title }) => (
        <Button
          key={name}
          role="tab"
          id={`${id}-${name}-tab`}
          aria-controls={`${id}-${name}`}
          aria-selected={chosen === name}
          tabIndex={chosen === name ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {title}
        </Button>
      ))}
    </div>
  );
}

/** Returns the attributes of a tab's panel. */
export function panelOf(id: string, name: string) {
  return { id: `${id}-${name}`, role: "tabpanel", "aria-labelledby": `${id}-${name}-tab` } as const;
}
