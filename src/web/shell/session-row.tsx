import type { Session } from "../../protocol/sessions.ts";
import { deleteSession, renameSession, togglePin } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
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
  if (editing) return <TitleField session={session} onDone={() => setEditing(false)} />;
  const items = [
    { label: t(pinned ? "unpin" : "pin"), icon: "pin" as const, run: () => void togglePin(session) },
    { label: t("rename"), icon: "edit" as const, run: () => setEditing(true) },
    {
      label: t("share"),
      icon: "share" as const,
      run: () => view.setState({ over: { kind: "share", sessionId: id } }),
    },
    moveItem(session),
    { label: t("exportMarkdown"), icon: "download" as const, run: () => download(id, "md") },
    { label: t("exportJson"), icon: "download" as const, run: () => download(id, "json") },
    {
      label: t("delete"),
      icon: "trash" as const,
      danger: true,
      run() {
        deleteSession(session);
        if (current) goTo(undefined);
      },
    },
  ];
  return (
    <li className="session" data-current={current}>
      <a
        href={`#/s/${encodeURIComponent(id)}`}
        aria-current={current ? "page" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          goTo(id);
        }}
      >
        {title}
      </a>
      <DraftMark id={id} current={current} />
      {activeRunId !== undefined && <span className="dot" data-active data-waiting={waiting} />}
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
