import { useState } from "react";
import type { Session } from "../../protocol/sessions.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { prefer } from "../state/preferences.ts";
import { loadOlderSessions, searchSessions, sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon, Mark } from "../ui/icons.tsx";
import { goTo, goToSettings, goToSignIn } from "./address.ts";
import { ProjectsRow } from "./projects-row.tsx";
import { SessionRow } from "./session-row.tsx";

const DAY_MS = 86_400_000;
const COMMAND_KEY = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? "⌘" : "Ctrl ";

/** The conversations, newest first, and the person. */
export function Sidebar() {
  const { sessions: list, query, loaded, leaving, pinned, more } = sessions();
  const current = conversation((state) => state.sessionId);
  const page = view((state) => state.page);
  const [editing, setEditing] = useState<string>();
  const shown = [...pinned, ...list.filter((session) => query !== "" || !session.pinned)].filter(
    ({ id }) => !leaving.includes(id),
  );
  return (
    <nav className="sidebar" data-part="sidebar" id="sidebar" aria-label={t("sessions")}>
      <div className="sidebar-top">
        <span className="brand">
          <Mark />
          Tackle
        </span>
        <IconButton icon="sidebar" label={t("closeSidebar")} onClick={hide} aria-controls="sidebar" />
      </div>
      <Button
        className="nav-row"
        aria-current={current === undefined && page === undefined ? "page" : undefined}
        onClick={() => goTo(undefined)}
      >
        <Icon name="compose" />
        {t("newChat")}
      </Button>
      <label className="search">
        <Icon name="search" />
        <input
          type="search"
          value={query}
          placeholder={t("search")}
          aria-label={t("searchSessions")}
          onChange={({ target }) => searchSessions(target.value)}
        />
        <kbd>{COMMAND_KEY}K</kbd>
      </label>
      <ProjectsRow />
      <div className="session-list">
        {loaded && shown.length === 0 && (
          <p className="hint">{t(query === "" ? "noSessions" : "nothingFound")}</p>
        )}
        {grouped(shown).map(([name, members]) => (
          <section key={name}>
            <h3>{t(name)}</h3>
            <ul>
              {members.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  current={session.id === current}
                  editing={editing === session.id}
                  setEditing={(on) => setEditing(on ? session.id : undefined)}
                />
              ))}
            </ul>
          </section>
        ))}
        {more && (
          <Button className="quiet older" onClick={() => void loadOlderSessions()}>
            {t("olderSessions")}
          </Button>
        )}
      </div>
      <PersonRow />
    </nav>
  );
}

function grouped(list: Session[]): [TextKey, Session[]][] {
  const today = new Date().setHours(0, 0, 0, 0);
  const groups: [TextKey, Session[]][] = [];
  const place = ({ pinned, updatedAt }: Session): TextKey => {
    if (pinned) return "pinned";
    const at = new Date(updatedAt).getTime();
    if (at >= today) return "today";
    if (at >= today - DAY_MS) return "yesterday";
    return at >= today - 6 * DAY_MS ? "thisWeek" : "older";
  };
  for (const name of ["pinned", "today", "yesterday", "thisWeek", "older"] as const) {
    const members = list.filter((session) => place(session) === name);
    if (members.length > 0) groups.push([name, members]);
  }
  return groups;
}

function PersonRow() {
  const me = person((state) => state.me);
  const name =
    me?.kind === "account" ? me.name || me.email || me.id : t(me?.kind === "guest" ? "signIn" : "local");
  const who = (
    <>
      <span className="face" aria-hidden="true">
        {me?.kind === "account" ? name.slice(0, 1).toUpperCase() : <Icon name="person" size="small" />}
      </span>
      <span>{name}</span>
    </>
  );
  return (
    <div className="who">
      {me?.kind === "guest" ? <Button onClick={goToSignIn}>{who}</Button> : <span>{who}</span>}
      <IconButton icon="settings" label={t("settings")} onClick={() => goToSettings()} />
    </div>
  );
}

/** On a phone the sidebar lies above the conversation; elsewhere the person hides it for good. */
function hide(): void {
  if (view.getState().drawer) view.setState({ drawer: false });
  else prefer({ sidebarOpen: false });
}
