import { useEffect, useState } from "react";
import { notify, notifyFailure } from "../state/notices.ts";
import { person, refreshMe, refreshOffer } from "../state/person.ts";
import { type Language, prefer, preferences, type Theme } from "../state/preferences.ts";
import { ask, type OwnSettings } from "../state/server.ts";
import { refreshSessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ApiKeys } from "./api-keys.tsx";

const VENDORS: Record<string, string> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  gemini: "Google Gemini",
  zai: "Z.ai",
  openrouter: "OpenRouter",
  tavily: "Tavily",
  exa: "Exa",
};

/** How the app looks, which keys it uses, and who is signed in. */
export function SettingsDialog({ onClose }: { onClose(): void }) {
  const theme = preferences((state) => state.theme);
  const language = preferences((state) => state.language);
  const me = person((state) => state.me);

  async function signOut(): Promise<void> {
    try {
      await ask("POST", "/auth/sign-out");
      await Promise.all([refreshMe(), refreshOffer(), refreshSessions()]);
      location.hash = "#/";
      onClose();
    } catch (error) {
      notifyFailure(error);
    }
  }

  return (
    <Dialog title={t("settings")} onClose={onClose}>
      <h3>{t("appearance")}</h3>
      <div className="fields">
        <label>
          {t("theme")}
          <select value={theme} onChange={({ target }) => prefer({ theme: target.value as Theme })}>
            <option value="system">{t("system")}</option>
            <option value="light">{t("light")}</option>
            <option value="dark">{t("dark")}</option>
          </select>
        </label>
        <label>
          {t("language")}
          <select value={language} onChange={({ target }) => prefer({ language: target.value as Language })}>
            <option value="en">English</option>
            <option value="de">Deutsch</option>
          </select>
        </label>
      </div>
      <OwnKeys />
      {me?.kind === "account" && <ApiKeys />}
      {me?.role === "admin" && (
        <p className="choices">
          <button type="button" onClick={() => view.setState({ dialog: "people" })}>
            {t("people")}
          </button>
        </p>
      )}
      {me?.kind === "account" && (
        <p className="choices">
          <span>{t("signedInAs", { name: me.email ?? me.id })}</span>
          <button type="button" onClick={signOut}>
            {t("signOut")}
          </button>
        </p>
      )}
      {me?.kind === "guest" && (
        <p className="choices">
          <button type="button" onClick={() => view.setState({ dialog: "sign-in" })}>
            {t("signIn")}
          </button>
        </p>
      )}
    </Dialog>
  );
}

function OwnKeys() {
  const [stored, setStored] = useState<OwnSettings["keys"]>();
  useEffect(() => {
    ask<OwnSettings>("GET", "/me/settings")
      .then(({ keys }) => setStored(keys))
      .catch(notifyFailure);
  }, []);

  async function put(vendor: string, key: string | null): Promise<void> {
    try {
      const { keys } = await ask<OwnSettings>("PUT", "/me/settings", { keys: { [vendor]: key } });
      setStored(keys);
      notify({ text: t("saved") });
      await refreshOffer();
    } catch (error) {
      notifyFailure(error);
    }
  }

  return (
    <>
      <h3>{t("ownKeys")}</h3>
      <p className="hint">{t("ownKeysHint")}</p>
      <ul className="keys">
        {Object.entries(VENDORS).map(([vendor, name]) => (
          <li key={vendor}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
                event.currentTarget.reset();
                if (key !== "") void put(vendor, key);
              }}
            >
              <label>
                {name}
                <input
                  name="key"
                  type="password"
                  autoComplete="off"
                  placeholder={
                    stored?.[vendor] ? t("keyStored", { lastFour: stored[vendor].lastFour }) : t("keyNone")
                  }
                />
              </label>
              <button type="submit">{t("save")}</button>
              {stored?.[vendor] && (
                <button type="button" onClick={() => put(vendor, null)}>
                  {t("remove")}
                </button>
              )}
            </form>
          </li>
        ))}
      </ul>
    </>
  );
}
