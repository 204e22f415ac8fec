import type { Session } from "../../protocol/sessions.ts";
import { t } from "../text/t.ts";
import { conversation } from "./conversation.ts";
import { focusDraft } from "./draft.ts";
import { go } from "./history.ts";
import { attempt, offerUndo } from "./notices.ts";
import { chat } from "./server.ts";
import { refreshSessions, sessions, shortTitle } from "./sessions.ts";
import { deleteAnyway } from "./temporary.ts";

export type Listed = Pick<Session, "id" | "title">;

/** Requests that are sent at the same time for many conversations. */
const AT_ONCE = 4;

/** Moves conversations to the archive at once, and offers to undo it. */
export function archiveSessions(list: readonly Listed[]): void {
  const shown = hide(list);
  const archived = change(list, (id) => chat.archiveSession(id, true)).finally(shown);
  offerUndo({
    text: toastText(list, "archivedSession", "archivedSessions"),
    undo: () => void archived.then(() => change(list, (id) => chat.archiveSession(id, false))),
  });
}

/** Moves conversations back to the list. */
export function unarchiveSessions(list: readonly Listed[]): Promise<void> {
  return change(list, (id) => chat.archiveSession(id, false));
}

/**
 * Hides conversations at once. The requests to delete them are sent when it can no longer be undone, or when the page is closed:
 * until then the server still has all of them.
 */
export function deleteSessions(list: readonly Listed[]): void {
  const show = hide(list);
  offerUndo({
    text: toastText(list, "deletedSession", "deletedSessions"),
    undo: show,
    settle(leaving) {
      if (leaving) for (const { id } of list) deleteAnyway(id);
      else void change(list, (id) => chat.deleteSession(id)).finally(show);
    },
  });
}

/** Deletes every conversation of the person, the archived ones too. */
export async function deleteAllSessions(): Promise<void> {
  await chat.deleteAllSessions();
  go("#/");
  await refreshSessions();
}

/** Hides conversations, and leaves them if one is open. Returns a function that shows them again. */
function hide(list: readonly Listed[]): () => void {
  const ids = list.map(({ id }) => id);
  sessions.setState((state) => ({ leaving: [...state.leaving, ...ids], selected: [] }));
  if (ids.includes(conversation.getState().sessionId ?? "")) {
    // The menu of the title goes with it.
    if (document.activeElement?.closest(".bar-title")) focusDraft();
    go("#/");
  }
  return () =>
    sessions.setState((state) => ({ leaving: state.leaving.filter((other) => !ids.includes(other)) }));
}

async function change(list: readonly Listed[], work: (id: string) => Promise<unknown>): Promise<void> {
  const rest = list.map(({ id }) => id);
  const next = async () => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      const one = id;
      await attempt(() => work(one));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  await refreshSessions();
}

function toastText(
  list: readonly Listed[],
  one: "archivedSession" | "deletedSession",
  many: "archivedSessions" | "deletedSessions",
): string {
  const [first, ...others] = list;
  return others.length === 0
    ? t(one, { title: shortTitle(first?.title ?? "") })
    : t(many, { count: list.length });
}
