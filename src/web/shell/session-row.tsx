import { useLayoutEffect, useRef } from "react";
import type { Session } from "../../protocol/sessions.ts";
import { renameSession, sessions, toggleSelected } from "../state/sessions.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { useLongPress } from "../ui/long-press.ts";
import { Menu } from "../ui/menu.tsx";
import { goTo } from "./address.ts";
import { DraftMark } from "./draft-mark.tsx";
import { sessionItems } from "./session-items.ts";

interface Props {
  session: Session;
  current: boolean;
  editing: boolean;
  setEditing(on: boolean): void;
}

/** One conversation in the sidebar. */
export function SessionRow({ session, current, editing, setEditing }: Props) {
  const { id, title, activeRunId, waiting } = session;
  const selected = sessions((state) => state.selected.includes(id));
  const { wasLong, ...press } = useLongPress();
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const { current: shown } = row;
    return () => giveFocusOn(shown);
  }, []);
  if (editing) return <TitleField session={session} onDone={() => setEditing(false)} />;
  const items = sessionItems(session, () => setEditing(true));
  items.splice(-2, 0, { label: t("selectSession"), icon: "check", run: () => toggleSelected(id) });
  return (
    <li ref={row} className="session" data-current={current} data-selected={selected || undefined}>
      <a
        href={`#/s/${encodeURIComponent(id)}`}
        aria-current={current ? "page" : undefined}
        aria-description={selected ? t("selectedCount", { count: 1 }) : undefined}
        {...press}
        onClick={(event) => {
          const selecting = sessions.getState().selected.length > 0;
          if (event.shiftKey) return;
          event.preventDefault();
          if (event.metaKey || event.ctrlKey || selecting || wasLong()) toggleSelected(id);
          else goTo(id);
        }}
      >
        {/* Its own direction would turn the side on which the link makes room for the menu. */}
        <span dir="auto">{title}</span>
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

/** Gives the focus to the next row when one with the focus goes, such as after "Delete" in its menu. */
function giveFocusOn(row: HTMLElement | null): void {
  if (!row?.contains(document.activeElement)) return;
  const rows = [...document.querySelectorAll<HTMLElement>(".session")];
  const at = rows.indexOf(row);
  const next = rows[at + 1] ?? rows[at - 1];
  queueMicrotask(() => {
    if (document.activeElement === document.body) next?.querySelector("a")?.focus();
  });
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
