import { type ReactNode, useEffect, useId, useRef } from "react";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";

/** A modal dialog. The browser keeps the focus inside. */
export function Dialog(props: {
  title: string;
  onClose(): void;
  children: ReactNode;
  className?: string;
  part?: string;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The browser focuses the close button; the first field is more useful.
    dialog.current?.querySelector<HTMLElement>("input, select")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      className={`dialog ${props.className ?? ""}`}
      data-part={props.part}
      aria-labelledby={heading}
      onClose={props.onClose}
      onClick={({ target }) => {
        if (target === dialog.current) props.onClose();
      }}
    >
      <div className="dialog-body">
        <header>
          <h2 id={heading}>{props.title}</h2>
          <IconButton icon="close" label={t("close")} onClick={props.onClose} />
        </header>
        {props.children}
      </div>
    </dialog>
  );
}
