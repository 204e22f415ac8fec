import { useEffect, useState } from "react";
import type { ListedKey, NewKeyRequest } from "../../protocol/accounts.ts";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { dollars, t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** Keys with which programs use this server in the person's name. */
export function ApiKeys() {
  const [keys, setKeys] = useState<ListedKey[]>([]);
  const [made, setMade] = useState<string>();

  async function act(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      setKeys((await ask<{ keys: ListedKey[] }>("GET", "/me/keys")).keys);
    } catch (error) {
      notifyFailure(error);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is opened
  useEffect(() => void act(async () => undefined), []);

  return (
    <>
      <h3>{t("apiKeys")}</h3>
      <p className="hint">{t("apiKeysHint")}</p>
      {made !== undefined && (
        <p className="made-key">
          <code>{made}</code>
          <CopyButton text={made} />
          <span className="hint">{t("keyShownOnce")}</span>
        </p>
      )}
      <ul className="people">
        {keys.map((key) => (
          <li key={key.id}>
            <span className="people-name">
              <strong>{key.name}</strong>
              <span className="hint">
                tk_…{key.lastFour} · {spending(key)}
              </span>
            </span>
            {key.budget && <Gauge part={key.spentUsd / Math.max(key.budget.usd, 1e-9)} />}
            <button
              type="button"
              className="danger"
              onClick={() => act(() => ask("DELETE", `/me/keys/${encodeURIComponent(key.id)}`))}
            >
              {t("revoke")}
            </button>
          </li>
        ))}
      </ul>
      <form
        className="choices new-key"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const wish = wishOf(new FormData(form));
          void act(async () => {
            setMade((await ask<{ key: string }>("POST", "/me/keys", wish)).key);
            form.reset();
          });
        }}
      >
        <input name="name" maxLength={60} aria-label={t("keyName")} placeholder={t("keyName")} />
        <input
          name="usd"
          type="number"
          min="0"
          step="any"
          aria-label={t("keyBudget")}
          placeholder={t("keyBudget")}
        />
        <select name="days" aria-label={t("keyBudgetDays")} defaultValue="30">
          <option value="">{t("budgetEver")}</option>
          <option value="1">{t("budgetDay")}</option>
          <option value="30">{t("budgetMonth")}</option>
        </select>
        <button type="submit">{t("makeKey")}</button>
      </form>
    </>
  );
}

function wishOf(form: FormData): Partial<NewKeyRequest> {
  const [name, usd, days] = ["name", "usd", "days"].map((field) => String(form.get(field) ?? "").trim());
  const span = days ? { days: Number(days) } : {};
  return { ...(name ? { name } : {}), ...(usd ? { budget: { usd: Number(usd), ...span } } : {}) };
}

function spending({ budget, spentUsd }: ListedKey): string {
  const spent = dollars(spentUsd);
  if (!budget) return t("spent", { spent });
  const { usd, days } = budget;
  if (days === undefined) return t("spentOf", { spent, budget: dollars(usd) });
  return t("spentOfDays", { spent, budget: dollars(usd), days });
}

/** How much of a budget is gone; the words beside it say the same. */
function Gauge({ part }: { part: number }) {
  const full = part >= 1;
  return (
    <svg className="gauge" width="72" height="6" aria-hidden="true">
      <rect className="share-ground" width="72" height="6" rx="3" />
      <rect
        className={full ? "share-alarm" : "share-fill"}
        width={72 * Math.min(1, part)}
        height="6"
        rx="3"
      />
    </svg>
  );
}
