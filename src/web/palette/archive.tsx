import { useState } from "react";
import type { Session } from "../../protocol/sessions.ts";
import { goTo } from "../shell/address.ts";
import { deleteSessions, unarchiveSessions } from "../state/archive.ts";
import { chat } from "../state/server.ts";
import { sessions } from "../state/sessions.ts";
import { t } from "../text/palette.ts";
import { dayText } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/loaded.ts";
import "../style/palette.css";

const MOST = 200;

/** The conversations in the archive, as a dialog. */
export function ArchiveDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={t("archived")} onClose={onClose} className="archive">
      <ArchivedList onOpen={onClose} />
    </Dialog>
  );
}

/** The conversations in the archive, newest first. */
export function ArchivedList({ onOpen }: { onOpen(): void }) {
  const [turn, setTurn] = useState(0);
  const leaving = sessions((state) => state.leaving);
  const list = useLoaded(`archive ${turn}`, () => chat.listSessions({ archived: true, limit: MOST }), {
    keep: true,
  })?.filter(({ id }) => !leaving.includes(id));
  if (!list) return null;
  if (list.length === 0) return <p className="hint">{t("archiveEmpty")}</p>;
  const again = () => setTurn((now) => now + 1);
  return (
    <ul className="archived-list">
      {list.map((session) => (
        <Row key={session.id} session={session} onOpen={onOpen} onChange={again} />
      ))}
    </ul>
  );
}

function Row({ session, onOpen, onChange }: { session: Session; onOpen(): void; onChange(): void }) {
  const { id, title, updatedAt } = session;
  return (
    <li>
      <a
        href={`#/s/${encodeURIComponent(id)}`}
        dir="auto"
        onClick={(event) => {
          event.preventDefault();
          onOpen();
          setTimeout(() => goTo(id));
        }}
      >
        {title}
      </a>
      <span className="hint">{dayText(updatedAt)}</span>
      <Button onClick={() => void unarchiveSessions([session]).then(onChange)}>{t("unarchive")}</Button>
      <IconButton icon="trash" label={`${t("delete")}: ${title}`} onClick={() => deleteSessions([session])} />
    </li>
  );
}
