import { useDeferredValue, useState } from "react";
import type { Session } from "../../protocol/sessions.ts";
import { sessionItems } from "../shell/session-items.ts";
import { chat } from "../state/server.ts";
import { sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/projects.ts";
import { Icon } from "../ui/icons.tsx";
import { useLoaded } from "../ui/loaded.ts";
import { Menu } from "../ui/menu.tsx";
import { ListSearch } from "./search.tsx";
import { whenText } from "./when.ts";

const MOST_LISTED = 200;

/** The conversations of a project. They are loaded again whenever something changes in one, here or elsewhere. */
export function Chats({ id }: { id: string }) {
  const [query, setQuery] = useState("");
  const words = useDeferredValue(query.trim());
  const loads = sessions((state) => state.loads);
  const leaving = sessions((state) => state.leaving);
  const page = { limit: MOST_LISTED, projectId: id };
  const listed = useLoaded(`${loads} ${id}`, () => chat.listSessions(page), { keep: true });
  const found = useLoaded(
    `${loads} ${id} ${words}`,
    async () => (words === "" ? undefined : chat.listSessions({ ...page, query: words })),
    { keep: true },
  );
  const stays = (session: Session) => !leaving.includes(session.id);
  const all = listed?.filter(stays);
  if (!all) return null;
  if (all.length === 0) return <p className="projects-empty">{t("noChatsHere")}</p>;
  // What is found comes without its last line.
  const shown =
    words === "" ? all : found?.filter(stays).map((one) => all.find((same) => same.id === one.id) ?? one);
  const label = t("searchChats", { count: all.length });
  return (
    <>
      <ListSearch label={label} query={query} onChange={setQuery} />
      {shown?.length === 0 && <p className="projects-empty">{t("nothingFound")}</p>}
      <ul className="project-rows">
        {shown?.map((session) => (
          <ChatRow key={session.id} session={session} />
        ))}
      </ul>
    </>
  );
}

function ChatRow({ session }: { session: Session }) {
  const { id, title, preview, updatedAt, activeRunId, waiting } = session;
  return (
    <li>
      <a href={`#/s/${encodeURIComponent(id)}`}>
        <span>
          <b dir="auto">{title}</b>
          <small dir="auto">{lastLine(preview)}</small>
        </span>
        {activeRunId !== undefined && <span className="dot" data-active data-waiting={waiting} />}
        <small>{whenText(updatedAt)}</small>
      </a>
      <Menu
        label={t("moreAbout", { title })}
        items={sessionItems(session, () => view.setState({ renaming: session }))}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

/** The first line of a message, without the marks of Markdown. */
function lastLine(text = ""): string {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? "";
  // A mark is at the edge of a word: the `_` of `file_name` belongs to its name.
  return line.replace(/(?<![\p{L}\p{N}])[*_#>]+|[*_]+(?![\p{L}\p{N}])|`+/gu, "").trim();
}
