import { useState } from "react";
import { MOST_ERRORS, type StoredError } from "../../protocol/ledger.ts";
import { t } from "../text/administration.ts";
import { compact, moment } from "../text/t.ts";
import { useRoute } from "../ui/loaded.ts";
import { Select } from "../ui/select.tsx";
import { Table } from "../ui/table.tsx";
import { PeriodBars } from "../usage/period-bars.tsx";
import { ShareTable } from "../usage/share-table.tsx";
import { periodQuery } from "../usage/usage-report.ts";
import { serviceName, wordsOfCode } from "./error-words.ts";

interface Counted {
  count: number;
  codes: Record<string, number>;
}

interface Errors {
  counts: { code: string; source: string; count: number; latest: string }[];
  latest: StoredError[];
  days: ({ day: string } & Counted)[];
  hours?: ({ at: string } & Counted)[];
}

const MAX_SHOWN = 12;

/** The errors of a period, by cause and place and one by one. */
export function RecentErrors({ days, turn }: { days: number; turn: number }) {
  const errors = useRoute<Errors>(`/admin/errors?${periodQuery(days)}`, turn);
  if (!errors) return null;
  if (errors.counts.length === 0) return <p className="hint">{t("noErrors")}</p>;
  const total = errors.counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <ErrorBars errors={errors} />
      <ShareTable
        caption={t("errors")}
        captionUnseen
        className="errors-table"
        columns={[t("cause"), t("place"), t("count"), t("latest")]}
        rows={errors.counts.slice(0, MAX_SHOWN).map(({ code, source, count, latest }) => ({
          key: `${code} ${source}`,
          name: wordsOfCode(code),
          share: count,
          alarming: true,
          cells: [serviceName(source), compact(count), moment(new Date(latest))],
        }))}
      />
      {total >= MOST_ERRORS && <p className="hint">{t("errorsKept", { count: MOST_ERRORS })}</p>}
      <details className="latest-errors">
        <summary>{t("details")}</summary>
        <Table
          label={t("latestErrors")}
          columns={[t("latest"), t("errorCode"), t("place"), t("errorRequest")]}
          rows={errors.latest.map(({ at, code, source, requestId }, index) => ({
            key: index,
            cells: [
              moment(new Date(at)),
              <code key="code">{code}</code>,
              <code key="source">{source}</code>,
              <code key="id">{requestId ?? "–"}</code>,
            ],
          }))}
        />
      </details>
    </>
  );
}

/** One bar for each day or hour, of all causes or of one. */
function ErrorBars({ errors: { counts, days, hours } }: { errors: Errors }) {
  const [wanted, setWanted] = useState("");
  const codes = [...new Set(counts.map(({ code }) => code))];
  const cause = codes.includes(wanted) ? wanted : "";
  const measure = (one: Counted) => (cause === "" ? one.count : (one.codes[cause] ?? 0));
  return (
    <>
      {codes.length > 1 && (
        <Select<string>
          className="period"
          aria-label={t("onlyCause")}
          value={cause}
          options={[
            { value: "", text: t("allCauses") },
            ...codes.map((code) => ({ value: code, text: wordsOfCode(code) })),
          ]}
          onChoose={setWanted}
        />
      )}
      <PeriodBars
        label={t(hours ? "errorsPerHour" : "errorsPerDay")}
        points={
          hours?.map((one) => ({ at: one.at, value: measure(one) })) ??
          days.map((one) => ({ at: one.day, value: measure(one) }))
        }
        unit="count"
        empty={t("noErrors")}
      />
    </>
  );
}
