import type { LimitsRequest } from "../../protocol/accounts.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { Listed } from "./people.tsx";

const ROWS = ["chat", "generate_artifact", "generate_image", "search", "web_fetch", "costUsd"] as const;

interface LimitsDialogProps {
  user: Listed;
  onClose(): void;
  onSave(limits: LimitsRequest["limits"]): void;
}

/** What one person may do, in the place of what everybody may. */
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
          <label key={row}>
            {t(`limit_${row}`)}
            <input
              name={row}
              type="number"
              min="0"
              step={row === "costUsd" ? "any" : "1"}
              defaultValue={user.limits[row] ?? ""}
            />
          </label>
        ))}
        <p className="choices">
          <button type="submit" className="primary">
            {t("save")}
          </button>
          <button type="button" onClick={onClose}>
            {t("cancel")}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
