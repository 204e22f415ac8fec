import { t } from "../text/usage.ts";
import { Select } from "../ui/select.tsx";

const PERIODS = [1, 7, 30, 90];

/** Chooses how many days a report covers. */
export function PeriodPicker({ days, setDays }: { days: number; setDays(days: number): void }) {
  const options = PERIODS.map((value) => ({ value, text: periodText(value) }));
  return (
    <Select className="period" aria-label={t("period")} value={days} options={options} onChoose={setDays} />
  );
}

/** Names a period: the last 24 hours, the last 30 days. */
export function periodText(days: number): string {
  return days === 1 ? t("lastHours", { hours: 24 }) : t("lastDays", { days });
}
