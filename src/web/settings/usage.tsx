import { person } from "../state/person.ts";
import { t } from "../text/settings.ts";
import { dollars } from "../text/t.ts";
import { UsageOf } from "../usage/usage-of.tsx";
import { LimitsLeft } from "./limits-left.tsx";

/** The person's own usage. */
export function UsageSettings() {
  const budget = person((state) => state.me?.budget);
  return (
    <>
      <LimitsLeft />
      <UsageOf path="/me/usage">
        {budget && (
          <p className="hint">
            {t("budgetNow", { spent: dollars(budget.spentUsd), budget: dollars(budget.usd) })}
          </p>
        )}
      </UsageOf>
    </>
  );
}
