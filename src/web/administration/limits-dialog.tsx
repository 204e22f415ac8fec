import type { LimitsRequest } from "../../protocol/accounts.ts";
import type { ServerLimits } from "../../protocol/administration.ts";
import type { LimitedRole } from "../../protocol/limits.ts";
import { t } from "../text/administration.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/form.tsx";

/** What is limited, in the order in which it is shown. */
export const LIMIT_ROWS = [
  "chat",
  "generate_artifact",
  "generate_image",
  "search",
  "web_fetch",
  "costUsd",
] as const;

interface LimitsDialogProps {
  title: string;
  hint: string;
  values: Readonly<Record<string, number | undefined>>;
  /** The server's numbers, which hold for empty fields. Null stands for no limit. */
  usual: Readonly<Record<string, number | null>>;
  /** Rows that a setting of the operator fixes. */
  fixed?: readonly string[];
  onClose(): void;
  onSave(limits: LimitsRequest["limits"]): void;
}

/** The limits of one person or role, instead of the server's. */
export function LimitsDialog(props: LimitsDialogProps) {
  const { title, hint, values, usual, fixed = [], onClose, onSave } = props;
  return (
    <Dialog title={title} onClose={onClose} className="narrow">
      <p className="hint">{hint}</p>
      <form
        className="fields limits"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const limits = LIMIT_ROWS.filter((row) => !fixed.includes(row)).map((row) => {
            const text = String(form.get(row) ?? "").trim();
            return [row, text === "" ? null : Number(text)] as const;
          });
          onSave(Object.fromEntries(limits));
        }}
      >
        {LIMIT_ROWS.map((row) => (
          <Field
            key={row}
            label={fixed.includes(row) ? `${t(`limit_${row}`)} (${t("limitFixed")})` : t(`limit_${row}`)}
            name={row}
            type="number"
            min="0"
            max="1000000000"
            step={row === "costUsd" ? "any" : "1"}
            disabled={fixed.includes(row)}
            defaultValue={values[row] ?? ""}
            placeholder={usual[row] === null ? t("unlimited") : String(usual[row] ?? "")}
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

/** Returns the server's numbers for a role. */
export function limitsOfRole(rows: ServerLimits["rows"], role: LimitedRole): Record<string, number | null> {
  return Object.fromEntries(rows.map((row) => [row.name, row[role] ?? null]));
}
