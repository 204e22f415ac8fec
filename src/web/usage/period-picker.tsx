import { t } from "../text/t.ts";

const PERIODS = [7, 30, 90];

/** Chooses how many days a report covers. */
export function PeriodPicker({ days, setDays }: { days: number; setDays(days: number): void }) {
  return (
    <select
      aria-label={t("period")}
      value={days}
      onChange={({ target }) => setDays(Number(target.value))}
      className="period"
    >
      {PERIODS.map((count) => (
        <option key={count} value={count}>
          {t("lastDays", { days: count })}
        </option>
      ))}
    </select>
  );
}
