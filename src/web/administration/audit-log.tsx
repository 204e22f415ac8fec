import { useState } from "react";
import type { AuditEntry } from "../../protocol/audit.ts";
import { t } from "../text/administration.ts";
import { moment } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ShortField } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { Section } from "./section.tsx";

const PAGE = 50;

/** Who has changed or allowed what. */
export function AuditLog({ turn }: { turn: number }) {
  const [action, setAction] = useState("");
  const [before, setBefore] = useState<number>();
  const place = before === undefined ? "" : `&before=${before}`;
  const wanted = action.trim() === "" ? "" : `&action=${encodeURIComponent(action.trim())}`;
  const page = useRoute<{ entries: AuditEntry[]; next?: number }>(
    `/admin/audit?limit=${PAGE}${place}${wanted}`,
    turn,
  );
  return (
    <Section title={t("auditLog")} hint={t("auditHint")}>
      <ShortField
        label={t("auditFilter")}
        type="search"
        className="people-search"
        value={action}
        onChange={({ target }) => {
          setAction(target.value);
          setBefore(undefined);
        }}
      />
      {page?.entries.length === 0 && <p className="hint">{t("nothingFound")}</p>}
      {page && page.entries.length > 0 && (
        <Table
          className="numbers-table audit-table"
          label={t("auditLog")}
          columns={[t("when"), t("who"), t("what"), t("details")]}
          rows={page.entries.map(({ seq, at, actor, action: what, subject }) => ({
            key: seq,
            cells: [moment(new Date(at)), actor, what, factsOf(subject)],
          }))}
        />
      )}
      <p className="choices">
        <Button disabled={before === undefined} onClick={() => setBefore(undefined)}>
          {t("newestEntries")}
        </Button>
        <Button disabled={page?.next === undefined} onClick={() => setBefore(page?.next)}>
          {t("olderEntries")}
        </Button>
      </p>
    </Section>
  );
}

function factsOf(subject: AuditEntry["subject"]): string {
  return Object.entries(subject)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" · ");
}
