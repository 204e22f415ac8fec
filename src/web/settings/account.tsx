import { useState } from "react";
import { attempt, notify } from "../state/notices.ts";
import { person, refreshAll } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, useForm } from "../ui/form.tsx";
import { ApiKeys } from "./api-keys.tsx";

/** The person's name, password, devices and keys for programs; sign out, delete the account. */
export function AccountSettings() {
  const me = person((state) => state.me);

  async function signOut(): Promise<void> {
    await attempt(async () => {
      await ask("POST", "/auth/sign-out");
      await startOver();
    });
  }

  if (me?.kind === "guest")
    return (
      <p className="choices">
        <Button className="primary" onClick={() => view.setState({ dialog: "sign-in" })}>
          {t("signIn")}
        </Button>
      </p>
    );
  return (
    <>
      <p className="choices">
        <span>{t("signedInAs", { name: me?.email ?? me?.id ?? "" })}</span>
        <Button onClick={signOut}>{t("signOut")}</Button>
      </p>
      <PasswordForm />
      <ApiKeys />
      <DeleteForm />
    </>
  );
}

/** Loads everything for another person. */
async function startOver(): Promise<void> {
  location.hash = "#/";
  await refreshAll();
}

function PasswordForm() {
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("POST", "/me/password", { password: field("password"), newPassword: field("newPassword") });
    notify({ text: t("passwordChanged") });
  });
  return (
    <form className="fields" onSubmit={submit}>
      <h3>{t("changePassword")}</h3>
      <PasswordField label={t("currentPassword")} />
      <PasswordField label={t("newPassword")} name="newPassword" isNew />
      <p className="hint">{t("passwordHint")}</p>
      {problem}
      <p className="choices">
        <button type="submit" disabled={busy}>
          {t("changePassword")}
        </button>
      </p>
    </form>
  );
}

function DeleteForm() {
  const [sure, setSure] = useState(false);
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("DELETE", "/me", { password: field("password") });
    await startOver();
    notify({ text: t("accountDeleted") });
  });
  return (
    <form className="fields" onSubmit={submit}>
      <h3>{t("deleteAccount")}</h3>
      <p className="hint">{t("deleteAccountHint")}</p>
      {sure && <PasswordField label={t("deleteAccountConfirm")} autoFocus />}
      {problem}
      <p className="choices">
        {sure && (
          <button type="submit" className="danger" disabled={busy}>
            {t("deleteForGood")}
          </button>
        )}
        {sure && <Button onClick={() => setSure(false)}>{t("cancel")}</Button>}
        {!sure && (
          <Button className="danger" onClick={() => setSure(true)}>
            {t("deleteAccount")}
          </Button>
        )}
      </p>
    </form>
  );
}
