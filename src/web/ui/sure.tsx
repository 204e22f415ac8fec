import { useState } from "react";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface Props {
  title: string;
  /** What it leads to. */
  text: string;
  /** What the button says that does it. */
  action: string;
  className?: string;
  run(): Promise<unknown>;
  onClose(): void;
}

/** Asks once before something is done that can't be undone. */
export function Sure({ title, text, action, className = "narrow", run, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  async function go(): Promise<void> {
    setBusy(true);
    const done = await attempt(run);
    setBusy(false);
    if (done) onClose();
  }
  return (
    <Dialog title={title} className={className} onClose={onClose}>
      <p className="hint">{text}</p>
      <p className="choices">
        <Button className="danger" disabled={busy} onClick={() => void go()}>
          {action}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </p>
    </Dialog>
  );
}
