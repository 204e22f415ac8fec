import { useEffect, useState } from "react";
import type { ListedAccount } from "../../protocol/accounts.ts";
import { notifyFailure } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The accounts of this server, for who administers it. */
export function PeopleDialog({ onClose }: { onClose(): void }) {
  const [people, setPeople] = useState<ListedAccount[]>();
  const [leaving, setLeaving] = useState<string>();
  const me = person((state) => state.me);

  async function read(): Promise<void> {
    try {
      const { users } = await ask<{ users: ListedAccount[] }>("GET", "/admin/users?limit=200");
      setPeople(users);
    } catch (error) {
      notifyFailure(error);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is opened
  useEffect(() => void read(), []);

  async function change(method: "POST" | "DELETE", path: string, body?: unknown): Promise<void> {
    try {
      await ask(method, path, body);
    } catch (error) {
      notifyFailure(error);
    }
    await read();
  }

  return (
    <Dialog title={t("people")} onClose={onClose} className="wide">
      {people === undefined && <p className="hint">{t("loading")}</p>}
      <ul className="people">
        {people?.map(({ id, email, name, role, suspended }) => {
          const path = `/admin/users/${encodeURIComponent(id)}`;
          const isMe = id === me?.id;
          return (
            <li key={id} data-suspended={suspended}>
              <span className="people-name">
                <strong>{name || email}</strong>
                <span className="hint">{email}</span>
              </span>
              {suspended && <span className="tag">{t("suspended")}</span>}
              <select
                aria-label={t("roleOf", { name: email })}
                value={role}
                disabled={isMe}
                onChange={({ target }) => change("POST", `${path}/role`, { role: target.value })}
              >
                <option value="user">{t("roleUser")}</option>
                <option value="admin">{t("roleAdmin")}</option>
              </select>
              <button
                type="button"
                disabled={isMe}
                onClick={() => change("POST", `${path}/suspend`, { suspended: !suspended })}
              >
                {t(suspended ? "unsuspend" : "suspend")}
              </button>
              <button
                type="button"
                className="danger"
                disabled={isMe}
                onClick={() => (leaving === id ? change("DELETE", path) : setLeaving(id))}
              >
                {t(leaving === id ? "deleteForGood" : "delete")}
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
