import { t } from "../text/usage.ts";

import { Select } from "../ui/select.tsx";

const PERIODS = [7, 30, 90];

/** Chooses how many days a report covers. */
export function PeriodPicker({ days, setDays }: { days: number; setDays(days: number): void }) {
  const options = PERIODS.map((value) => ({ value, text: t("lastDays", { days: value }) }));
  return (
    <Select className="period" aria-label={t("period")} value={days} options={options} onChoose={setDays} />
  );
}
