import { type FormEvent, useState } from "react";
import { notify, notifyFailure, sentenceOf } from "../state/notices.ts";
import { person, refreshAll } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";

/** Who is signed in: leaving, a new password, and the end of the account. */
export function AccountSettings({ onClose }: { onClose(): void }) {
  const me = person((state) => state.me);

  async function signOut(): Promise<void> {
    try {
      await ask("POST", "/auth/sign-out");
      await startAnew();
      onClose();
    } catch (error) {
      notifyFailure(error);
    }
  }

  if (me?.kind === "guest")
    return (
      <p className="choices">
        <button type="button" className="primary" onClick={() => view.setState({ dialog: "sign-in" })}>
          {t("signIn")}
        </button>
      </p>
    );
  return (
    <>
      <p className="choices">
        <span>{t("signedInAs", { name: me?.email ?? me?.id ?? "" })}</span>
        <button type="button" onClick={signOut}>
          {t("signOut")}
        </button>
      </p>
      <PasswordForm />
      <LeaveForm onClose={onClose} />
    </>
  );
}

/** Another person is here now, with other conversations. */
async function startAnew(): Promise<void> {
  location.hash = "#/";
  await refreshAll();
}

function PasswordForm() {
  const { problem, busy, submit } = useForm(async (form) => {
    const body = { password: String(form.get("password")), newPassword: String(form.get("newPassword")) };
    await ask("POST", "/me/password", body);
    notify({ text: t("passwordChanged") });
  });
  return (
    <form className="fields" onSubmit={submit}>
      <h3>{t("changePassword")}</h3>
      <label>
        {t("currentPassword")}
        <input name="password" type="password" required autoComplete="current-password" />
      </label>
      <label>
        {t("newPassword")}
        <input name="newPassword" type="password" required minLength={8} autoComplete="new-password" />
      </label>
      <p className="hint">{t("passwordHint")}</p>
      <Problem text={problem} />
      <p className="choices">
        <button type="submit" disabled={busy}>
          {t("changePassword")}
        </button>
      </p>
    </form>
  );
}

function LeaveForm({ onClose }: { onClose(): void }) {
  const [sure, setSure] = useState(false);
  const { problem, busy, submit } = useForm(async (form) => {
    await ask("DELETE", "/me", { password: String(form.get("password")) });
    await startAnew();
    notify({ text: t("accountDeleted") });
    onClose();
  });
  return (
    <form className="fields" onSubmit={submit}>
      <h3>{t("deleteAccount")}</h3>
      <p className="hint">{t("deleteAccountHint")}</p>
      {sure ? (
        <>
          <label>
            {t("deleteAccountConfirm")}
            <input name="password" type="password" required autoComplete="current-password" autoFocus />
          </label>
          <Problem text={problem} />
          <p className="choices">
            <button type="submit" className="danger" disabled={busy}>
              {t("deleteForGood")}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              {t("cancel")}
            </button>
          </p>
        </>
      ) : (
        <p className="choices">
          <button type="button" className="danger" onClick={() => setSure(true)}>
            {t("deleteAccount")}
          </button>
        </p>
      )}
    </form>
  );
}

function Problem({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <p className="step-error" role="alert">
      {text}
    </p>
  );
}

/** A form that is sent once at a time, and says in its place what went wrong. */
function useForm(send: (form: FormData) => Promise<void>) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setProblem("");
    try {
      await send(new FormData(form));
      form.reset();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy(false);
  }
  return { problem, busy, submit };
}
