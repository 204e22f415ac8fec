import { lazy, Suspense, useId, useState } from "react";
import { goToAdministration } from "../shell/address.ts";
import { mayAdminister, person } from "../state/person.ts";
import { type Language, prefer, preferences, type Theme } from "../state/preferences.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { panelOf, Tabs } from "../ui/tabs.tsx";
import { AccountSettings } from "./account.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { OwnKeys } from "./own-keys.tsx";

type Tab = "general" | "usage" | "programs" | "account";

const OwnUsage = lazy(async () => ({ default: (await import("../usage/own-usage.tsx")).OwnUsage }));

/** Appearance, API keys, usage and the account. */
export function SettingsDialog({ onClose }: { onClose(): void }) {
  const me = person((state) => state.me);
  const [tab, setTab] = useState<Tab>("general");
  const id = useId();
  const names: Tab[] = [
    "general",
    "usage",
    ...(me?.kind === "account" ? (["programs"] as const) : []),
    ...(me && me.kind !== "owner" ? (["account"] as const) : []),
  ];
  return (
    <Dialog title={t("settings")} onClose={onClose} className="wide settings">
      <Tabs<Tab>
        id={id}
        label={t("settings")}
        tabs={names.map((name) => ({ name, title: t(name) }))}
        chosen={tab}
        onChoose={setTab}
      />
      <div {...panelOf(id, tab)}>
        {tab === "general" && <General />}
        {tab === "usage" && (
          <Suspense fallback={<p className="hint">{t("loading")}</p>}>
            <OwnUsage />
          </Suspense>
        )}
        {tab === "programs" && <ApiKeys />}
        {tab === "account" && <AccountSettings onClose={onClose} />}
      </div>
    </Dialog>
  );
}

function General() {
  const theme = preferences((state) => state.theme);
  const language = preferences((state) => state.language);
  const me = person((state) => state.me);
  return (
    <>
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
      {mayAdminister(me) && (
        <p className="choices">
          <Button onClick={goToAdministration}>{t("administration")}</Button>
        </p>
      )}
    </>
  );
}
