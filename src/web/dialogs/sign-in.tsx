import { type FormEvent, useState } from "react";
import { sentenceOf } from "../state/notices.ts";
import { refreshAll } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";

/** Signing in or up without leaving the conversation; what a guest has comes along. */
export function SignInDialog({ onClose }: { onClose(): void }) {
  const [isNew, setIsNew] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setProblem("");
    try {
      const body = { email: String(form.get("email")), password: String(form.get("password")) };
      await ask("POST", isNew ? "/auth/sign-up" : "/auth/sign-in", body);
      await refreshAll();
      onClose();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy(false);
  }

  return (
    <Dialog title={t(isNew ? "signUp" : "signIn")} onClose={onClose} className="narrow">
      <form className="fields" onSubmit={submit}>
        <label>
          {t("email")}
          <input name="email" type="email" required autoComplete="username" />
        </label>
        <label>
          {t("password")}
          <input
            name="password"
            type="password"
            required
            minLength={isNew ? 8 : 1}
            autoComplete={isNew ? "new-password" : "current-password"}
          />
        </label>
        {isNew && <p className="hint">{t("passwordHint")}</p>}
        {problem !== "" && (
          <p className="step-error" role="alert">
            {problem}
          </p>
        )}
        <div className="choices">
          <button type="submit" className="primary" disabled={busy}>
            {t(isNew ? "signUp" : "signIn")}
          </button>
          <button type="button" className="link" onClick={() => setIsNew(!isNew)}>
            {t(isNew ? "haveAccount" : "needAccount")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
