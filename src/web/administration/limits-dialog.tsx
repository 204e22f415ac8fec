import type { LimitsRequest } from "../../protocol/accounts.ts";
import { t } from "../text/administration.ts";

import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/form.tsx";
import type { Listed } from "./people.tsx";

const ROWS = ["chat", "generate_artifact", "generate_image", "search", "web_fetch", "costUsd"] as const;

interface LimitsDialogProps {
  user: Listed;
  onClose(): void;
  onSave(limits: LimitsRequest["limits"]): void;
}

/** The limits of one person, instead of the server's. */
export function LimitsDialog({ user, onClose, onSave }: LimitsDialogProps) {
  return (
    <Dialog title={t("limitsOf", { name: user.email })} onClose={onClose} className="narrow">
      <p className="hint">{t("limitsHint")}</p>
      <form
        className="fields limits"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const limits = ROWS.map((row) => {
            const text = String(form.get(row) ?? "").trim();
            return [row, text === "" ? null : Number(text)] as const;
          });
          onSave(Object.fromEntries(limits));
        }}
      >
        {ROWS.map((row) => (
          <Field
            key={row}
            label={t(`limit_${row}`)}
            name={row}
            type="number"
            min="0"
            step={row === "costUsd" ? "any" : "1"}
            defaultValue={user.limits[row] ?? ""}
          />
        ))}
        <p className="choices">
          <button type="submit" className="primary">
            {t("save")}
          </button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </p>
      </form>
    </Dialog>
  );
}
