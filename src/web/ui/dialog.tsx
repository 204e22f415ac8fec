import { type ComponentProps, type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";

interface ModalProps extends ComponentProps<"dialog"> {
  /** The id of its heading. */
  labelledBy: string;
  onClose(): void;
}

/** What lies above the page until it is closed. The browser keeps the focus inside. */
export function Modal({ labelledBy, onClose, className = "", children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const before = useRef<Element>(null);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    dialog.current?.showModal();
    // The browser focuses the first button; what is chosen, or the first field, is more useful.
    dialog.current?.querySelector<HTMLElement>("[aria-current], input, [role=combobox]")?.focus();
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
      onClick={({ target }) => {
        if (target === dialog.current) onClose();
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
