import { useDeferredValue, useState } from "react";
import type { LimitOverrides, ListedAccount } from "../../protocol/accounts.ts";
import type { ServerLimits } from "../../protocol/administration.ts";
import type { ModelOffer } from "../../protocol/model-offers.ts";
import { attempt } from "../state/notices.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { dollars } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ShortField } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu } from "../ui/menu.tsx";
import { Select } from "../ui/select.tsx";
import { limitsOfRole } from "./limits-dialog.tsx";
import { NewPerson } from "./new-person.tsx";
import { type About, PersonDialog } from "./person-dialog.tsx";

const PAGE = 25;

export type Listed = ListedAccount & { limits: LimitOverrides; models: ModelOffer; spentUsd: number };

/** Sends a request, shows the list again, and returns whether it succeeded. */
export type Act = (...request: Parameters<typeof ask>) => Promise<boolean>;

/** The accounts on this server. */
export function People({ turn }: { turn: number }) {
  const [query, setQuery] = useState("");
  const [offset, setOffset] = useState(0);
  const [changes, setChanges] = useState(0);
  const [open, setOpen] = useState<{ about: About; user: Listed }>();
  const [adding, setAdding] = useState(false);
  const wanted = useDeferredValue(query.trim());
  const path = `/admin/users?limit=${PAGE}&offset=${offset}&query=${encodeURIComponent(wanted)}`;
  const page = useRoute<{ users: Listed[]; total: number }>(path, turn + changes);
  const limits = useRoute<ServerLimits>("/admin/limits");
  const hours = (limits?.windowMinutes ?? 0) / 60;

  const act: Act = async (...request) => {
    const done = await attempt(() => ask(...request));
    setChanges((count) => count + 1);
    return done;
  };

  return (
    <>
      <div className="people-head">
        <ShortField
          label={t("searchPeople")}
          type="search"
          className="people-search"
          value={query}
          onChange={({ target }) => {
            setQuery(target.value);
            setOffset(0);
          }}
        />
        <Button onClick={() => setAdding(true)}>{t("addPerson")}</Button>
      </div>
      <ul className="people">
        {page?.users.map((user) => (
          <Row
            key={user.id}
            user={user}
            hours={hours}
            act={act}
            onOpen={(about) => setOpen({ about, user })}
          />
        ))}
      </ul>
      {page?.total === 0 && <p className="hint">{t("nothingFound")}</p>}
      {page && page.total > PAGE && (
        <p className="choices">
          <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
            {t("previous")}
          </Button>
          <span className="hint">
            {t("peopleCount", { from: offset + 1, to: offset + page.users.length, total: page.total })}
          </span>
          <Button disabled={offset + PAGE >= page.total} onClick={() => setOffset(offset + PAGE)}>
            {t("next")}
          </Button>
        </p>
      )}
      {adding && (
        <NewPerson onClose={() => setAdding(false)} onAdded={() => setChanges((count) => count + 1)} />
      )}
      {open && (
        <PersonDialog
          {...open}
          usual={limitsOfRole(limits?.rows ?? [], "account")}
          act={act}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface RowProps {
  user: Listed;
  /** The window of the limits. */
  hours: number;
  act: Act;
  onOpen(about: About): void;
}

function Row({ user, hours, act, onOpen }: RowProps) {
  const me = person((state) => state.me);
  const { id, email, name, role, suspended, limits, models, spentUsd } = user;
  const path = `/admin/users/${encodeURIComponent(id)}`;
  const isMe = id === me?.id;
  return (
    <li data-suspended={suspended}>
      <span className="people-name">
        <strong>{name || email}</strong>
        <span className="hint">
          {email}
          {hours > 0 && ` · ${t("spentWithin", { spent: dollars(spentUsd), count: hours })}`}
        </span>
      </span>
      {suspended && <span className="tag">{t("suspended")}</span>}
      {Object.keys(limits).length > 0 && <span className="tag">{t("ownLimits")}</span>}
      {Object.keys(models).length > 0 && <span className="tag">{t("ownModels")}</span>}
      <Select
        aria-label={t("roleOf", { name: email })}
        value={role}
        disabled={isMe}
        options={[
          { value: "user", text: t("roleUser") },
          { value: "admin", text: t("roleAdmin") },
        ]}
        onChoose={(chosen) => act("POST", `${path}/role`, { role: chosen })}
      />
      <Menu
        label={t("personActions", { name: email })}
        items={[
          { label: t("usage"), icon: "chart", run: () => onOpen("usage") },
          { label: t("limits"), icon: "settings", run: () => onOpen("limits") },
          { label: t("modelsOffered"), icon: "tools", run: () => onOpen("models") },
          { label: t("devicesShort"), icon: "person", run: () => onOpen("devices") },
          { label: t("setPassword"), icon: "key", disabled: isMe, run: () => onOpen("password") },
          {
            label: t(suspended ? "unsuspend" : "suspend"),
            icon: "pause",
            apart: true,
            disabled: isMe,
            run: () => void act("POST", `${path}/suspend`, { suspended: !suspended }),
          },
          { label: t("delete"), icon: "trash", danger: true, disabled: isMe, run: () => onOpen("deletion") },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}
