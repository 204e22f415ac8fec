import type { StoredError } from "../../protocol/ledger.ts";
import { t } from "../text/administration.ts";
import { compact, moment } from "../text/t.ts";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { DayBars } from "../usage/day-bars.tsx";
import { ShareTable } from "../usage/share-table.tsx";

interface Errors {
  counts: { code: string; source: string; count: number; latest: string }[];
  latest: StoredError[];
  days: { day: string; count: number }[];
}

const MAX_SHOWN = 12;

/** Recent errors, by code and place and one by one. */
export function RecentErrors({ turn }: { turn: number }) {
  const errors = useRoute<Errors>("/admin/errors", turn);
  if (!errors) return null;
  if (errors.counts.length === 0) return <p className="hint">{t("noErrors")}</p>;
  return (
    <>
      <DayBars
        label={t("errorsPerDay")}
        days={errors.days.map(({ day, count }) => ({ day, value: count }))}
        format={compact}
      />
      <ShareTable
        caption={t("errors")}
        captionUnseen
        columns={[t("errorCode"), t("place"), t("count"), t("latest")]}
        rows={errors.counts.slice(0, MAX_SHOWN).map(({ code, source, count, latest }) => ({
          key: `${code} ${source}`,
          name: code,
          share: count,
          alarming: true,
          cells: [source, compact(count), moment(new Date(latest))],
        }))}
      />
      <details className="latest-errors">
        <summary>{t("latestErrors")}</summary>
        <Table
          label={t("latestErrors")}
          columns={[t("latest"), t("errorCode"), t("place"), t("errorRequest")]}
          rows={errors.latest.map(({ at, code, source, requestId }, index) => ({
            key: index,
            cells: [moment(new Date(at)), code, source, <code key="id">{requestId ?? "–"}</code>],
          }))}
        />
      </details>
    </>
  );
}
