import { useState } from "react";
import type { Role } from "../../protocol/accounts.ts";
import { notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Choices, Field, PasswordField, useForm } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";

/** Makes an account for somebody else. */
export function NewPerson({ onClose, onAdded }: { onClose(): void; onAdded(): void }) {
  const [role, setRole] = useState<Role>("user");
  const { problem, busy, submit } = useForm(async (field) => {
    const email = field("email");
    await ask("POST", "/admin/users", { email, password: field("password"), name: field("name"), role });
    notify({ text: t("personAdded", { email }) });
    onAdded();
    onClose();
  });
  return (
    <Dialog title={t("addPerson")} className="narrow" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <Field label={t("email")} name="email" type="email" required autoComplete="off" maxLength={254} />
        <Field label={t("nameOptional")} name="name" autoComplete="off" maxLength={100} />
        <PasswordField label={t("password")} isNew />
        <Select<Role>
          label={t("role")}
          value={role}
          options={[
            { value: "user", text: t("roleUser") },
            { value: "admin", text: t("roleAdmin") },
          ]}
          onChoose={setRole}
        />
        {problem}
        <Choices action={t("addPerson")} disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
