import type { Session } from "../../protocol/sessions.ts";
import { archiveSessions, deleteSessions } from "../state/archive.ts";
import { renameSession, sessions, togglePin, toggleSelected } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { useLongPress } from "../ui/long-press.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { goTo } from "./address.ts";
import { download } from "./download.ts";
import { DraftMark } from "./draft-mark.tsx";
import { moveItem } from "./projects-row.tsx";

interface Props {
  session: Session;
  current: boolean;
  editing: boolean;
  setEditing(on: boolean): void;
}

/** One conversation in the sidebar. */
export function SessionRow({ session, current, editing, setEditing }: Props) {
  const { id, title, pinned, activeRunId, waiting } = session;
  const selected = sessions((state) => state.selected.includes(id));
  const { wasLong, ...press } = useLongPress();
  if (editing) return <TitleField session={session} onDone={() => setEditing(false)} />;
  const items: MenuItem[] = [
    { label: t("rename"), icon: "edit", run: () => setEditing(true) },
    { label: t(pinned ? "unpin" : "pin"), icon: "pin", run: () => void togglePin(session) },
    moveItem(session),
    {
      label: t("share"),
      icon: "share",
      run: () => view.setState({ over: { kind: "share", sessionId: id } }),
    },
    {
      label: t("savePdf"),
      icon: "download",
      run: () => view.setState({ over: { kind: "print", sessionId: id } }),
    },
    { label: t("exportMarkdown"), icon: "download", run: () => void download(id, "md") },
    { label: t("exportJson"), icon: "download", run: () => void download(id, "json") },
    { label: t("selectSession"), icon: "check", run: () => toggleSelected(id) },
    { label: t("archive"), icon: "archive", run: () => archiveSessions([session]) },
    { label: t("delete"), icon: "trash", danger: true, apart: true, run: () => deleteSessions([session]) },
  ];
  return (
    <li className="session" data-current={current} data-selected={selected || undefined}>
      <a
        href={`#/s/${encodeURIComponent(id)}`}
        aria-current={current ? "page" : undefined}
        aria-description={selected ? t("selectedCount", { count: 1 }) : undefined}
        dir="auto"
        {...press}
        onClick={(event) => {
          const selecting = sessions.getState().selected.length > 0;
          if (event.shiftKey) return;
          event.preventDefault();
          if (event.metaKey || event.ctrlKey || selecting || wasLong()) toggleSelected(id);
          else goTo(id);
        }}
      >
        {title}
      </a>
      <DraftMark id={id} current={current} />
      {activeRunId !== undefined && (
        <span
          className="dot"
          data-active
          data-waiting={waiting}
          role="img"
          aria-label={t(waiting ? "needsYou" : "workingNow")}
        />
      )}
      <Menu label={`${t("more")}: ${title}`} items={items}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

function TitleField({ session, onDone }: { session: Session; onDone(): void }) {
  return (
    <li className="session">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const title = String(new FormData(event.currentTarget).get("title") ?? "").trim();
          if (title !== "" && title !== session.title) void renameSession(session.id, title);
          onDone();
        }}
      >
        <input
          name="title"
          defaultValue={session.title}
          maxLength={200}
          aria-label={t("rename")}
          autoFocus
          onFocus={({ target }) => target.select()}
          onBlur={({ target }) => target.form?.requestSubmit()}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.currentTarget.value = session.title;
            onDone();
          }}
        />
      </form>
    </li>
  );
}
