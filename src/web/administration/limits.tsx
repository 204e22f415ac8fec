import { useState } from "react";
import type { LimitsRequest } from "../../protocol/accounts.ts";
import type { ServerLimits } from "../../protocol/administration.ts";
import { attempt } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { dollars, number } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { LIMIT_ROWS, LimitsDialog, limitsOfRole } from "./limits-dialog.tsx";
import { Offers } from "./offers.tsx";
import { Section } from "./section.tsx";

type Kind = "guest" | "account";
const KINDS = { guest: "theGuests", account: "theAccounts" } as const;

/** The limits of everybody who has no own ones, and the models that roles are offered. */
export function Limits({ turn }: { turn: number }) {
  const [changes, setChanges] = useState(0);
  const [editing, setEditing] = useState<Kind>();
  const limits = useRoute<ServerLimits>("/admin/limits", turn + changes);
  // Without accounts they limit no one.
  const isOwner = person((state) => state.me?.kind === "owner");
  if (!limits) return null;
  const save = async (kind: Kind, changed: LimitsRequest["limits"]) => {
    const done = await attempt(() => ask("PUT", `/admin/limits/${kind}`, { limits: changed }));
    setChanges((count) => count + 1);
    if (done) setEditing(undefined);
  };
  return (
    <>
      <Section title={t("serverLimits")} hint={t("limitWindow", { count: limits.windowMinutes / 60 })}>
        <Table
          className="numbers-table"
          label={t("serverLimits")}
          columns={[t("limits"), t("guests"), t("accounts")]}
          rows={LIMIT_ROWS.map((name) => {
            const row = limits.rows.find((one) => one.name === name);
            return { key: name, cells: [t(`limit_${name}`), shown(row, "guest"), shown(row, "account")] };
          })}
        />
        <p className="choices">
          {(["guest", "account"] as const).map((kind) => (
            <Button key={kind} onClick={() => setEditing(kind)}>
              {t("limitsFor", { name: t(KINDS[kind]) })}
            </Button>
          ))}
        </p>
        <p className="hint">{t(isOwner ? "limitsLater" : "serverLimitsHint")}</p>
      </Section>
      <Offers turn={turn} />
      {editing && (
        <LimitsDialog
          title={t("limitsFor", { name: t(KINDS[editing]) })}
          hint={t("roleLimitsHint")}
          values={valuesOf(limits, editing)}
          usual={limitsOfRole(
            limits.rows.filter(({ from }) => from?.[editing] === "default"),
            editing,
          )}
          fixed={limits.rows.filter(({ from }) => from?.[editing] === "operator").map(({ name }) => name)}
          onClose={() => setEditing(undefined)}
          onSave={(changed) => save(editing, changed)}
        />
      )}
    </>
  );
}

function shown(row: ServerLimits["rows"][number] | undefined, kind: Kind) {
  const value = row?.[kind];
  const format = row?.name === "costUsd" ? dollars : number;
  const origin = row?.from?.[kind];
  return (
    <>
      {value === undefined ? t("unlimited") : format(value)}
      {origin === "operator" && <span className="hint">{t("limitFixed")}</span>}
      {origin === "administrator" && <span className="hint">{t("limitChanged")}</span>}
    </>
  );
}

/** What administrators set, and what is fixed. Other fields are empty. */
function valuesOf({ rows }: ServerLimits, kind: Kind): Record<string, number | undefined> {
  return Object.fromEntries(
    rows.map((row) => [row.name, row.from?.[kind] === "default" ? undefined : row[kind]]),
  );
}
