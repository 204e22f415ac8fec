import { notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, PasswordField, useForm } from "../ui/form.tsx";
import type { Listed } from "./people.tsx";

/** Gives somebody a new password who has forgotten theirs. */
export function NewPassword({ user, onClose }: { user: Listed; onClose(): void }) {
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("POST", `/admin/users/${encodeURIComponent(user.id)}/password`, {
      password: field("password"),
    });
    notify({ text: t("passwordSet", { name: user.email }) });
    onClose();
  });
  return (
    <Dialog title={t("passwordOf", { name: user.email })} className="narrow" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <p className="hint">{t("passwordOfHint")}</p>
        <PasswordField label={t("password")} isNew />
        {problem}
        <Choices action={t("save")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
