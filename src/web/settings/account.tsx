import { useState } from "react";
import { goToSignIn } from "../shell/address.ts";
import { attempt, notify } from "../state/notices.ts";
import { person, refreshMe } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { startOver } from "../state/sign-out.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { Field, PasswordField, useForm } from "../ui/form.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { Devices } from "./devices.tsx";
import { Passkeys } from "./passkeys.tsx";

/** The person's name, password, passkeys, devices and keys for programs; delete the account. */
export function AccountSettings() {
  const me = person((state) => state.me);
  if (me?.kind !== "account")
    return (
      <>
        <p className="settings-hint">{t("guestAccount")}</p>
        <Button className="primary" onClick={goToSignIn}>
          {t("signIn")}
        </Button>
      </>
    );
  // A person of an outside issuer has no account here.
  if (me.email === undefined) return <p className="settings-hint">{me.name ?? me.id}</p>;
  return (
    <>
      <ul className="settings-rows">
        <li>
          <b className="grow">{t("accountName")}</b>
          <NameField name={me.name ?? ""} />
        </li>
        <li>
          <b className="grow">{t("accountEmail")}</b>
          {me.email}
        </li>
        {me.hasPassword === false ? <NoPasswordRow /> : <PasswordRow />}
      </ul>
      <Passkeys />
      <Devices onOut={startOver} />
      <ApiKeys />
      <DeleteForm email={me.email} hasPassword={me.hasPassword !== false} />
    </>
  );
}

/** Holds once the field is left. */
function NameField({ name }: { name: string }) {
  async function save(chosen: string): Promise<void> {
    if (chosen === name) return;
    await attempt(async () => {
      await ask("PATCH", "/me", { name: chosen });
      await refreshMe();
    });
  }
  return (
    <input
      aria-label={t("accountName")}
      autoComplete="name"
      maxLength={100}
      defaultValue={name}
      onBlur={({ target }) => void save(target.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
    />
  );
}

/** Whom an outside provider signs in has no password here. */
function NoPasswordRow() {
  return (
    <li>
      <b className="grow">{t("accountPassword")}</b>
      {t("noPassword")}
    </li>
  );
}

function PasswordRow() {
  const [open, setOpen] = useState(false);
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("POST", "/me/password", { password: field("password"), newPassword: field("newPassword") });
    notify({ text: t("passwordChanged") });
    setOpen(false);
  });
  if (!open)
    return (
      <li>
        <span className="grow">
          <b>{t("accountPassword")}</b>
          <small>{t("passwordDots")}</small>
        </span>
        <Button onClick={() => setOpen(true)}>{t("changePassword")}</Button>
      </li>
    );
  return (
    <li>
      <form className="fields grow" onSubmit={submit}>
        <PasswordField label={t("currentPassword")} autoFocus />
        <PasswordField label={t("newPassword")} name="newPassword" isNew />
        <p className="hint">{t("passwordHint")}</p>
        {problem}
        <p className="choices">
          <button type="submit" className="primary" disabled={busy}>
            {t("changePassword")}
          </button>
          <Button onClick={() => setOpen(false)}>{t("cancel")}</Button>
        </p>
      </form>
    </li>
  );
}

function DeleteForm({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const [sure, setSure] = useState(false);
  const [typed, setTyped] = useState("");
  const { problem, busy, submit } = useForm(async (field) => {
    await ask("DELETE", "/me", hasPassword ? { password: field("password") } : {});
    startOver();
  });
  return (
    <form className="fields settings-danger" onSubmit={submit}>
      <h4>{t("deleteAccount")}</h4>
      <p className="hint">{t("deleteAccountHint")}</p>
      {sure && (
        <>
          <Field
            label={t("deleteAccountEmail", { email })}
            autoComplete="off"
            autoFocus
            onChange={({ target }) => setTyped(target.value)}
          />
          {hasPassword && <PasswordField label={t("deleteAccountConfirm")} />}
        </>
      )}
      {problem}
      <p className="choices">
        {sure ? (
          <>
            <button
              type="submit"
              className="danger"
              disabled={busy || typed.trim().toLowerCase() !== email.toLowerCase()}
            >
              {t("deleteForGood")}
            </button>
            <Button onClick={() => setSure(false)}>{t("cancel")}</Button>
          </>
        ) : (
          <Button className="danger" onClick={() => setSure(true)}>
            {t("deleteAccount")}
          </Button>
        )}
      </p>
    </form>
  );
}
