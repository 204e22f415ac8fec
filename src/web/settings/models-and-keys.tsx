import { useState } from "react";
import type { SettingsListing } from "../../protocol/accounts.ts";
import { attempt, notify } from "../state/notices.ts";
import { refreshModelsAndTools } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";

/** The person's own keys of model vendors, used instead of the server's. */
export function ModelsAndKeysSettings() {
  const offered = useRoute<{ vendors: { id: string; label: string }[] }>("/me/vendors");
  const settings = useRoute<SettingsListing>("/me/settings");
  const [changed, setChanged] = useState<SettingsListing["keys"]>();
  const stored = changed ?? settings?.keys;

  async function save(vendor: string, key: string | null): Promise<void> {
    const { keys } = await ask<SettingsListing>("PUT", "/me/settings", { keys: { [vendor]: key } });
    setChanged(keys);
    notify({ text: t("saved") });
    await refreshModelsAndTools();
  }

  return (
    <ul className="keys">
      {offered?.vendors.map(({ id, label }) => (
        <li key={id}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
              event.currentTarget.reset();
              if (key !== "") void attempt(() => save(id, key));
            }}
          >
            <Field
              label={label}
              name="key"
              type="password"
              autoComplete="off"
              placeholder={stored?.[id] ? t("keyStored", { lastFour: stored[id].lastFour }) : t("keyNone")}
            />
            <button type="submit">{t("save")}</button>
            {stored?.[id] && <Button onClick={() => attempt(() => save(id, null))}>{t("remove")}</Button>}
          </form>
        </li>
      ))}
    </ul>
  );
}
