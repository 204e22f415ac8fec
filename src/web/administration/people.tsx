import { useDeferredValue, useState } from "react";
import type { LimitOverrides, ListedAccount } from "../../protocol/accounts.ts";
import { notify, notifyFailure } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { dollars, t } from "../text/t.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { useReading } from "./reading.ts";

const PAGE = 25;

export type Listed = ListedAccount & { limits: LimitOverrides; spentUsd: number };

/** The accounts of this server. */
export function People({ turn }: { turn: number }) {
  const [query, setQuery] = useState("");
  const [offset, setOffset] = useState(0);
  const [changes, setChanges] = useState(0);
  const [limited, setLimited] = useState<Listed>();
  const wanted = useDeferredValue(query.trim());
  const path = `/admin/users?limit=${PAGE}&offset=${offset}&query=${encodeURIComponent(wanted)}`;
  const page = useReading<{ users: Listed[]; total: number }>(path, turn + changes);

  async function act(method: string, address: string, body?: unknown): Promise<boolean> {
    try {
      await ask(method, address, body);
      return true;
    } catch (error) {
      notifyFailure(error);
      return false;
    } finally {
      setChanges((count) => count + 1);
    }
  }

  return (
    <>
      <input
        type="search"
        className="people-search"
        value={query}
        placeholder={t("searchPeople")}
        aria-label={t("searchPeople")}
        onChange={({ target }) => {
          setQuery(target.value);
          setOffset(0);
        }}
      />
      <ul className="people">
        {page?.users.map((user) => (
          <Row key={user.id} user={user} act={act} onLimits={() => setLimited(user)} />
        ))}
      </ul>
      {page?.total === 0 && <p className="hint">{t("nothingFound")}</p>}
      {page && page.total > 0 && (
        <p className="choices">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
            {t("previous")}
          </button>
          <span className="hint">
            {t("peopleCount", {
              from: offset + 1,
              to: offset + page.users.length,
              total: page.total,
            })}
          </span>
          <button
            type="button"
            disabled={offset + PAGE >= page.total}
            onClick={() => setOffset(offset + PAGE)}
          >
            {t("next")}
          </button>
        </p>
      )}
      <NewPerson act={act} />
      {limited && (
        <LimitsDialog
          user={limited}
          onClose={() => setLimited(undefined)}
          onSave={async (limits) => {
            const path = `/admin/users/${encodeURIComponent(limited.id)}/limits`;
            if (await act("PUT", path, { limits })) setLimited(undefined);
          }}
        />
      )}
    </>
  );
}

type Act = (method: string, address: string, body?: unknown) => Promise<boolean>;

function Row({ user, act, onLimits }: { user: Listed; act: Act; onLimits(): void }) {
  const me = person((state) => state.me);
  const [leaving, setLeaving] = useState(false);
  const { id, email, name, role, suspended, limits, spentUsd } = user;
  const path = `/admin/users/${encodeURIComponent(id)}`;
  const isMe = id === me?.id;
  return (
    <li data-suspended={suspended}>
      <span className="people-name">
        <strong>{name || email}</strong>
        <span className="hint">
          {email} · {t("spent", { spent: dollars(spentUsd) })}
        </span>
      </span>
      {suspended && <span className="tag">{t("suspended")}</span>}
      {Object.keys(limits).length > 0 && <span className="tag">{t("ownLimits")}</span>}
      <select
        aria-label={t("roleOf", { name: email })}
        value={role}
        disabled={isMe}
        onChange={({ target }) => act("POST", `${path}/role`, { role: target.value })}
      >
        <option value="user">{t("roleUser")}</option>
        <option value="admin">{t("roleAdmin")}</option>
      </select>
      <button type="button" onClick={onLimits}>
        {t("limits")}
      </button>
      <button
        type="button"
        disabled={isMe}
        onClick={() => act("POST", `${path}/suspend`, { suspended: !suspended })}
      >
        {t(suspended ? "unsuspend" : "suspend")}
      </button>
      <button
        type="button"
        className="danger"
        disabled={isMe}
        onBlur={() => setLeaving(false)}
        onClick={() => (leaving ? act("DELETE", path) : setLeaving(true))}
      >
        {t(leaving ? "deleteForGood" : "delete")}
      </button>
    </li>
  );
}

function NewPerson({ act }: { act: Act }) {
  return (
    <details className="new-person">
      <summary>{t("addPerson")}</summary>
      <form
        className="choices"
        onSubmit={async (event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const fields = new FormData(form);
          const email = String(fields.get("email"));
          if (!(await act("POST", "/admin/users", { email, password: String(fields.get("password")) })))
            return;
          form.reset();
          notify({ text: t("personAdded", { email }) });
        }}
      >
        <input name="email" type="email" required placeholder={t("email")} aria-label={t("email")} />
        <input
          name="password"
          type="password"
          required
          minLength={8}
          autoComplete="new-password"
          placeholder={t("password")}
          aria-label={t("password")}
        />
        <button type="submit">{t("addPerson")}</button>
      </form>
    </details>
  );
}
