import { lazy, Suspense, useId, useState } from "react";
import { goToAdministration } from "../shell/address.ts";
import { chooseImport } from "../state/imports.ts";
import { mayAdminister, person } from "../state/person.ts";
import { prefer, preferences } from "../state/preferences.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";
import { panelOf, Tabs } from "../ui/tabs.tsx";
import { AccountSettings } from "./account.tsx";
import { ApiKeys } from "./api-keys.tsx";
import { Connections } from "./connections.tsx";
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

const LANGUAGES = [
  { value: "en", text: "English" },
  { value: "de", text: "Deutsch" },
] as const;

function General() {
  const { theme, language } = preferences();
  const me = person((state) => state.me);
  const themes = (["system", "light", "dark"] as const).map((value) => ({ value, text: t(value) }));
  return (
    <>
      <h3>{t("appearance")}</h3>
      <div className="fields">
        <Select
          label={t("theme")}
          value={theme}
          options={themes}
          onChoose={(chosen) => prefer({ theme: chosen })}
        />
        <Select
          label={t("language")}
          value={language}
          options={LANGUAGES}
          onChoose={(chosen) => prefer({ language: chosen })}
        />
      </div>
      <OwnKeys />
      {mayAdminister(me) && <Connections />}
      <h3>{t("data")}</h3>
      <p className="choices">
        <Button onClick={chooseImport}>{t("importSessions")}</Button>
      </p>
      {mayAdminister(me) && (
        <p className="choices">
          <Button onClick={goToAdministration}>{t("administration")}</Button>
        </p>
      )}
    </>
  );
}
