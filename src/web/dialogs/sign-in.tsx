import { useState } from "react";
import { refreshAll } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, PasswordField, useForm } from "../ui/form.tsx";

/** Signs in or up without leaving the conversation. A guest keeps their conversations. */
export function SignInDialog({ onClose }: { onClose(): void }) {
  const [isNew, setIsNew] = useState(false);
  const title = t(isNew ? "signUp" : "signIn");
  const { problem, busy, submit } = useForm(async (field) => {
    const body = { email: field("email"), password: field("password") };
    await ask("POST", isNew ? "/auth/sign-up" : "/auth/sign-in", body);
    await refreshAll();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose} className="narrow">
      <form className="fields" onSubmit={submit}>
        <Field label={t("email")} name="email" type="email" required autoComplete="username" />
        <PasswordField label={t("password")} isNew={isNew} />
        {isNew && <p className="hint">{t("passwordHint")}</p>}
        {problem}
        <div className="choices">
          <button type="submit" className="primary" disabled={busy}>
            {title}
          </button>
          <Button className="link" onClick={() => setIsNew(!isNew)}>
            {t(isNew ? "haveAccount" : "needAccount")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
