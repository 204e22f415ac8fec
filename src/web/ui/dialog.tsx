import { type ComponentProps, type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { create } from "zustand";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";

/** The dialogs that are open, the topmost last. Whatever is outside of that one can't be used. */
export const openDialogs = create<{ dialogs: HTMLDialogElement[] }>(() => ({ dialogs: [] }));

interface ModalProps extends ComponentProps<"dialog"> {
  /** The id of its heading. */
  labelledBy: string;
  onClose(): void;
}

/** What lies above the page until it is closed. The browser keeps the focus inside. */
export function Modal({ labelledBy, onClose, className = "", children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const before = useRef<Element>(null);
  const isPressedOutside = useRef(false);
  useLayoutEffect(() => {
    const shown = dialog.current;
    before.current = document.activeElement;
    if (!shown) return;
    shown.showModal();
    // The browser focuses the first button; what is chosen, or the first field, is more useful.
    shown.querySelector<HTMLElement>("[aria-current], input, [role=combobox]")?.focus();
    openDialogs.setState(({ dialogs }) => ({ dialogs: [...dialogs, shown] }));
    return () =>
      openDialogs.setState(({ dialogs }) => ({ dialogs: dialogs.filter((other) => other !== shown) }));
  }, []);
  // Only once it is gone can something below it have the focus.
  useEffect(
    () => () => {
      if (before.current instanceof HTMLElement) before.current.focus();
    },
    [],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={labelledBy}
      onClose={onClose}
      // Who selects text to its end and lets go outside of the dialog has not meant to close it.
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === dialog.current;
      }}
      onClick={({ target }) => {
        if (target === dialog.current && isPressedOutside.current) onClose();
      }}
      {...rest}
    >
      {children}
    </dialog>
  );
}

/** A modal dialog with its title and a button that closes it. */
export function Dialog(props: {
  title: string;
  onClose(): void;
  children: ReactNode;
  className?: string;
  part?: string;
}) {
  const heading = useId();
  return (
    <Modal
      labelledBy={heading}
      onClose={props.onClose}
      className={props.className ?? ""}
      data-part={props.part}
    >
      <div className="dialog-body">
        <header>
          <h2 id={heading}>{props.title}</h2>
          <IconButton icon="close" label={t("close")} onClick={props.onClose} />
        </header>
        {props.children}
      </div>
    </Modal>
  );
}
