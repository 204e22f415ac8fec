import type { Session } from "../../protocol/sessions.ts";
import { archiveSessions, deleteSessions } from "../state/archive.ts";
import { conversation } from "../state/conversation.ts";
import { sessions, togglePin } from "../state/sessions.ts";
import { temporary } from "../state/temporary.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { download } from "./download.ts";
import { moveItem } from "./projects-row.tsx";

/** What a menu has to know about a conversation. */
export type Known = Pick<Session, "id" | "title" | "pinned" | "projectId">;

/** Returns the conversation that is open, unless it is temporary. One of a project, or an old one, is not in the list. */
export function openConversation(): Known | undefined {
  const { sessionId, title, projectId } = conversation.getState();
  if (sessionId === undefined || temporary.getState().on) return undefined;
  const { pinned, sessions: listed } = sessions.getState();
  return [...pinned, ...listed].find(({ id }) => id === sessionId) ?? { id: sessionId, title, projectId };
}

/** What can be done with a conversation. The last two take it out of the list. */
export function sessionItems(session: Known, rename: () => void): MenuItem[] {
  const { id, pinned } = session;
  return [
    { label: t("rename"), icon: "edit", run: rename },
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
    { label: t("archive"), icon: "archive", run: () => archiveSessions([session]) },
    { label: t("delete"), icon: "trash", danger: true, apart: true, run: () => deleteSessions([session]) },
  ];
}
