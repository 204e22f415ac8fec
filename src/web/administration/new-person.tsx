import { notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, Field, PasswordField, useForm } from "../ui/form.tsx";

/** Makes an account for somebody else. */
export function NewPerson({ onClose, onAdded }: { onClose(): void; onAdded(): void }) {
  const { problem, busy, submit } = useForm(async (field) => {
    const email = field("email");
    await ask("POST", "/admin/users", { email, password: field("password") });
    notify({ text: t("personAdded", { email }) });
    onAdded();
    onClose();
  });
  return (
    <Dialog title={t("addPerson")} className="narrow" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <Field label={t("email")} name="email" type="email" required />
        <PasswordField label={t("password")} isNew />
        {problem}
        <Choices action={t("addPerson")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
