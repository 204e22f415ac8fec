import type { ServerLimits } from "../../protocol/administration.ts";
import { t } from "../text/administration.ts";
import { dollars, number } from "../text/t.ts";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { Section } from "./section.tsx";

const NAMES = ["chat", "generate_artifact", "generate_image", "search", "web_fetch", "costUsd"] as const;

/** The limits of everybody who has no own ones. */
export function Limits({ turn }: { turn: number }) {
  const limits = useRoute<ServerLimits>("/admin/limits", turn);
  if (!limits) return null;
  const shown = (name: string, value: number | undefined) => {
    if (value === undefined) return t("unlimited");
    return name === "costUsd" ? dollars(value) : number(value);
  };
  return (
    <Section title={t("serverLimits")} hint={t("limitWindow", { count: limits.windowMinutes / 60 })}>
      <Table
        className="numbers-table"
        label={t("serverLimits")}
        columns={[t("limits"), t("guests"), t("accounts")]}
        rows={NAMES.map((name) => {
          const row = limits.rows.find((one) => one.name === name);
          return {
            key: name,
            cells: [t(`limit_${name}`), shown(name, row?.guest), shown(name, row?.account)],
          };
        })}
      />
      <p className="hint">{t("serverLimitsHint")}</p>
    </Section>
  );
}
