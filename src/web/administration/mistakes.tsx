import type { StoredError } from "../../protocol/ledger.ts";
import { compact, moment, t } from "../text/t.ts";
import { ShareTable } from "../usage/share-table.tsx";
import { useReading } from "./reading.ts";

interface Errors {
  counts: { code: string; source: string; count: number; latest: string }[];
  latest: StoredError[];
}

const MOST_SHOWN = 12;

/** What went wrong lately: by code and place, and one by one. */
export function Mistakes({ turn }: { turn: number }) {
  const errors = useReading<Errors>("/admin/errors", turn);
  if (!errors) return null;
  if (errors.counts.length === 0) return <p className="hint">{t("noErrors")}</p>;
  return (
    <>
      <ShareTable
        caption={t("errors")}
        captionUnseen
        columns={[t("errorCode"), t("place"), t("count"), t("latest")]}
        rows={errors.counts.slice(0, MOST_SHOWN).map(({ code, source, count, latest }) => ({
          key: `${code} ${source}`,
          name: code,
          share: count,
          alarming: true,
          cells: [source, compact(count), moment(new Date(latest))],
        }))}
      />
      <details className="latest-errors">
        <summary>{t("latestErrors")}</summary>
        <section className="plot-table" tabIndex={0} aria-label={t("latestErrors")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("latest")}</th>
                <th scope="col">{t("errorCode")}</th>
                <th scope="col">{t("place")}</th>
                <th scope="col">{t("requestId")}</th>
              </tr>
            </thead>
            <tbody>
              {errors.latest.map(({ at, code, source, requestId }, index) => (
                <tr key={index}>
                  <td>{moment(new Date(at))}</td>
                  <td>{code}</td>
                  <td>{source}</td>
                  <td>
                    <code>{requestId ?? "–"}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}
