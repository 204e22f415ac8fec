import { useEffect, useState } from "react";
import { notify, notifyFailure } from "../state/notices.ts";
import { refreshOffer } from "../state/person.ts";
import { ask, type PersonalSettings } from "../state/server.ts";
import { t } from "../text/t.ts";

interface Vendor {
  id: string;
  label: string;
}

/** Keys of vendors that the person has and the server uses for them. */
export function OwnKeys() {
  const [vendors, setVendors] = useState<Vendor[]>([]);
  const [stored, setStored] = useState<PersonalSettings["keys"]>();
  useEffect(() => {
    Promise.all([
      ask<{ vendors: Vendor[] }>("GET", "/me/vendors"),
      ask<PersonalSettings>("GET", "/me/settings"),
    ])
      .then(([offered, { keys }]) => {
        setVendors(offered.vendors);
        setStored(keys);
      })
      .catch(notifyFailure);
  }, []);

  async function put(vendor: string, key: string | null): Promise<void> {
    try {
      const { keys } = await ask<PersonalSettings>("PUT", "/me/settings", { keys: { [vendor]: key } });
      setStored(keys);
      notify({ text: t("saved") });
      await refreshOffer();
    } catch (error) {
      notifyFailure(error);
    }
  }

  return (
    <>
      <h3>{t("ownKeys")}</h3>
      <p className="hint">{t("ownKeysHint")}</p>
      <ul className="keys">
        {vendors.map(({ id, label }) => (
          <li key={id}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                const key = String(new FormData(event.currentTarget).get("key") ?? "").trim();
                event.currentTarget.reset();
                if (key !== "") void put(id, key);
              }}
            >
              <label>
                {label}
                <input
                  name="key"
                  type="password"
                  autoComplete="off"
                  placeholder={
                    stored?.[id] ? t("keyStored", { lastFour: stored[id].lastFour }) : t("keyNone")
                  }
                />
              </label>
              <button type="submit">{t("save")}</button>
              {stored?.[id] && (
                <button type="button" onClick={() => put(id, null)}>
                  {t("remove")}
                </button>
              )}
            </form>
          </li>
        ))}
      </ul>
    </>
  );
}
