import "../style/administration.css";
import { useState } from "react";
import type { ListedKey, NewKeyRequest } from "../../protocol/accounts.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { dollars } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ShortField } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Select } from "../ui/select.tsx";
import { Sure } from "../ui/sure.tsx";

/** API keys with which the person's programs use this server. */
export function ApiKeys() {
  const [changes, setChanges] = useState(0);
  const listed = useRoute<{ keys: ListedKey[] }>("/me/keys", changes);
  const [made, setMade] = useState<string>();
  const [days, setDays] = useState("30");

  const [ending, setEnding] = useState<ListedKey>();

  async function revoke({ id }: ListedKey): Promise<void> {
    await ask("DELETE", `/me/keys/${encodeURIComponent(id)}`);
    setChanges(changes + 1);
  }

  async function create(form: HTMLFormElement): Promise<void> {
    setMade((await ask<{ key: string }>("POST", "/me/keys", requestOf(new FormData(form)))).key);
    form.reset();
    setChanges(changes + 1);
  }

  return (
    <>
      <h4>{t("apiKeys")}</h4>
      <p className="hint">{t("apiKeysHint")}</p>
      {made !== undefined && (
        <p className="made-key">
          <code>{made}</code>
          <CopyButton text={made} />
          <span className="hint">{t("keyShownOnce")}</span>
        </p>
      )}
      <ul className="people">
        {listed?.keys.map((key) => (
          <li key={key.id}>
            <span className="people-name">
              <strong>{key.name}</strong>
              <span className="hint">
                tk_…{key.lastFour} · {spending(key)}
              </span>
            </span>
            {key.budget && <Gauge part={key.spentUsd / Math.max(key.budget.usd, 1e-9)} />}
            <Button className="danger" onClick={() => setEnding(key)}>
              {t("revoke")}
            </Button>
          </li>
        ))}
      </ul>
      {ending && (
        <Sure
          title={t("revokeQuestion", { name: ending.name })}
          text={t("revokeWarning")}
          action={t("revoke")}
          run={() => revoke(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
      <form
        className="choices new-key"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          void attempt(() => create(form));
        }}
      >
        <ShortField label={t("keyName")} name="name" maxLength={60} />
        <ShortField label={t("keyBudget")} name="usd" type="number" min="0" step="any" />
        <Select<string>
          name="days"
          aria-label={t("keyBudgetDays")}
          value={days}
          options={[
            { value: "", text: t("budgetEver") },
            { value: "1", text: t("budgetDay") },
            { value: "30", text: t("budgetMonth") },
          ]}
          onChoose={setDays}
        />
        <button type="submit">{t("makeKey")}</button>
      </form>
    </>
  );
}

function requestOf(form: FormData): Partial<NewKeyRequest> {
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

/** How much of a budget is spent; the text beside it says the same. */
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
