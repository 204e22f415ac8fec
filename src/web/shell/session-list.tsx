import { useState } from "react";
import type { Session } from "../../protocol/sessions.ts";
import { conversation } from "../state/conversation.ts";
import { loadOlderSessions, sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { monthText, t } from "../text/t.ts";
import { Awaited } from "../ui/awaited.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { SessionRow } from "./session-row.tsx";

const DAY_MS = 86_400_000;

/** The conversations: pinned ones, then by day and month, and the way to the archive. */
export function SessionList() {
  const { sessions: list, loaded, onlyInProjects, leaving, pinned, more, archived } = sessions();
  const current = conversation((state) => state.sessionId);
  const [editing, setEditing] = useState<string>();
  const shown = [...pinned, ...list.filter((session) => !session.pinned)].filter(
    ({ id }) => !leaving.includes(id),
  );
  return (
    <div className="session-list">
      {!loaded && shown.length === 0 && <Awaited of="list" />}
      {loaded && shown.length === 0 && (
        <p className="hint">{t(onlyInProjects ? "noSessionsOutside" : "noSessions")}</p>
      )}
      {[...grouped(shown)].map(([name, members]) => (
        <section key={name}>
          <h2>{name}</h2>
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
      {archived > 0 && (
        <Button className="nav-row archived-row" onClick={() => view.setState({ dialog: "archive" })}>
          <Icon name="archive" size="small" />
          {t("archivedCount", { count: archived })}
        </Button>
      )}
    </div>
  );
}

function grouped(list: readonly Session[]): Map<string, Session[]> {
  const today = new Date().setHours(0, 0, 0, 0);
  const nameOf = ({ pinned, updatedAt }: Session): string => {
    if (pinned) return t("pinned");
    const at = new Date(updatedAt);
    if (at.getTime() >= today) return t("today");
    if (at.getTime() >= today - DAY_MS) return t("yesterday");
    return at.getTime() >= today - 6 * DAY_MS ? t("thisWeek") : monthText(at);
  };
  return Map.groupBy(list, nameOf);
}

/** Returns the conversations in the order in which they are listed. */
export function listedIds(): string[] {
  const { sessions: list, pinned, leaving } = sessions.getState();
  return [...pinned, ...list.filter((session) => !session.pinned)]
    .map(({ id }) => id)
    .filter((id) => !leaving.includes(id));
}
