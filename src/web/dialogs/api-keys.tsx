import { useEffect, useState } from "react";
import type { ApiKey } from "../../protocol/accounts.ts";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** Keys with which programs use this server in the person's name. */
export function ApiKeys() {
  const [keys, setKeys] = useState<ApiKey[]>([]);
  const [made, setMade] = useState<string>();

  async function act(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      setKeys((await ask<{ keys: ApiKey[] }>("GET", "/me/keys")).keys);
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
        {keys.map(({ id, name, lastFour }) => (
          <li key={id}>
            <span className="people-name">
              <strong>{name}</strong>
              <span className="hint">tk_…{lastFour}</span>
            </span>
            <button
              type="button"
              className="danger"
              onClick={() => act(() => ask("DELETE", `/me/keys/${encodeURIComponent(id)}`))}
            >
              {t("revoke")}
            </button>
          </li>
        ))}
      </ul>
      <form
        className="choices"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get("name") ?? "").trim();
          void act(async () => {
            setMade((await ask<{ key: string }>("POST", "/me/keys", name === "" ? {} : { name })).key);
            form.reset();
          });
        }}
      >
        <input name="name" maxLength={60} aria-label={t("keyName")} placeholder={t("keyName")} />
        <button type="submit">{t("makeKey")}</button>
      </form>
    </>
  );
}
