import type { Session } from "../../protocol/sessions.ts";
import { archiveSessions, deleteSessions } from "../state/archive.ts";
import { togglePin } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { download } from "./download.ts";
import { moveItem } from "./projects-row.tsx";

/** What can be done with a conversation. The last two take it out of the list. */
export function sessionItems(session: Session, rename: () => void): MenuItem[] {
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
