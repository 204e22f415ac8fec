import { useState } from "react";
import { refreshAll } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, PasswordField, useForm } from "../ui/form.tsx";

/** Signs in or up without leaving the conversation. A guest keeps their conversations. */
export function SignInDialog({ onClose }: { onClose(): void }) {
  const [isNew, setIsNew] = useIsNew();
  return (
    <Dialog title={t(isNew ? "signUp" : "signIn")} onClose={onClose} className="narrow">
      <SignInForm isNew={isNew} setIsNew={setIsNew} onDone={onClose} />
    </Dialog>
  );
}

/** The page of a server on which nobody can do anything without an account. */
export function SignInPage() {
  const [isNew, setIsNew] = useIsNew();
  return (
    <main className="sign-in">
      <h1>Tackle</h1>
      <h2>{t(isNew ? "signUp" : "signIn")}</h2>
      <SignInForm isNew={isNew} setIsNew={setIsNew} onDone={() => {}} />
    </main>
  );
}

/** Whoever comes with the set-up link wants to create the first account. */
function useIsNew() {
  return useState(view.getState().setupToken !== undefined);
}

function SignInForm(props: { isNew: boolean; setIsNew(isNew: boolean): void; onDone(): void }) {
  const { isNew } = props;
  const setupToken = view((state) => state.setupToken);
  const { problem, busy, submit } = useForm(async (field) => {
    const body = { email: field("email"), password: field("password") };
    if (isNew) await ask("POST", "/auth/sign-up", { ...body, setupToken });
    else await ask("POST", "/auth/sign-in", body);
    view.setState({ setupToken: undefined });
    await refreshAll();
    props.onDone();
  });
  return (
    <form className="fields" onSubmit={submit}>
      {isNew && setupToken !== undefined && <p className="hint">{t("firstAccount")}</p>}
      <Field label={t("email")} name="email" type="email" required autoComplete="username" />
      <PasswordField label={t("password")} isNew={isNew} />
      {isNew && <p className="hint">{t("passwordHint")}</p>}
      {problem}
      <div className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t(isNew ? "signUp" : "signIn")}
        </button>
        <Button className="link" onClick={() => props.setIsNew(!isNew)}>
          {t(isNew ? "haveAccount" : "needAccount")}
        </Button>
      </div>
    </form>
  );
}
