import { type ReactNode, useEffect, useId, useRef } from "react";
import { t } from "../text/t.ts";
import { Icon } from "./icons.tsx";

/** A dialog above the page. The browser keeps the focus inside and gives it back. */
export function Dialog(props: { title: string; onClose(): void; children: ReactNode; className?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The browser begins with the button that closes it; what it was opened for is more useful.
    dialog.current?.querySelector<HTMLElement>("input, select")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it already; a click beside it is a second way
    <dialog
      ref={dialog}
      className={`dialog ${props.className ?? ""}`}
      aria-labelledby={heading}
      onClose={props.onClose}
      onClick={({ target }) => {
        if (target === dialog.current) props.onClose();
      }}
    >
      <div className="dialog-body">
        <header>
          <h2 id={heading}>{props.title}</h2>
          <button type="button" className="quiet" onClick={props.onClose} aria-label={t("close")}>
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
