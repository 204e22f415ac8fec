import { create } from "zustand";
import type { Session } from "../../protocol/sessions.ts";
import { t } from "../text/t.ts";
import { conversation } from "./conversation.ts";
import { attempt, notifyFailure, offerUndo } from "./notices.ts";
import { chat } from "./server.ts";

/** The number of sessions listed at first, and added with each page. */
const PAGE = 60;
const MAX_LISTED = 200;

interface SessionsState {
  sessions: Session[];
  pinned: Session[];
  /** There are older sessions than those listed. */
  more: boolean;
  query: string;
  loaded: boolean;
  /** Hidden now, and deleted when the time to undo is over. */
  leaving: string[];
}

/** The person's conversations. */
export const sessions = create<SessionsState>(() => ({
  sessions: [],
  pinned: [],
  more: false,
  query: "",
  loaded: false,
  leaving: [],
}));

let requests = 0;

/** Loads the list again. Only the newest request counts. */
export async function refreshSessions({ quiet = false } = {}): Promise<void> {
  const own = ++requests;
  const query = searchText();
  try {
    // As many as are listed already, so that nothing jumps.
    const limit = Math.min(Math.max(PAGE, sessions.getState().sessions.length), MAX_LISTED);
    const [found, pinned] = await Promise.all([
      // Those of a project are listed on its page.
      chat.listSessions({ limit, query, projectId: query === undefined ? "none" : undefined }),
      query === undefined ? chat.listSessions({ limit: MAX_LISTED, pinned: true }) : [],
    ]);
    if (own === requests)
      sessions.setState({ sessions: found, pinned, more: found.length === limit, loaded: true });
  } catch (error) {
    if (own === requests) sessions.setState({ loaded: true });
    if (!quiet) notifyFailure(error);
  }
}

/** Loads the next page of older sessions. */
export async function loadOlderSessions(): Promise<void> {
  const own = requests;
  const { sessions: listed } = sessions.getState();
  const before = listed.at(-1)?.updatedAt;
  if (before === undefined) return;
  await attempt(async () => {
    const older = await chat.listSessions({
      limit: PAGE,
      before,
      query: searchText(),
      projectId: searchText() === undefined ? "none" : undefined,
    });
    if (own === requests) sessions.setState({ sessions: [...listed, ...older], more: older.length === PAGE });
  });
}

/** Searches titles and messages. */
export function searchSessions(query: string): void {
  sessions.setState({ query });
  void refreshSessions();
}

function searchText(): string | undefined {
  return sessions.getState().query.trim() || undefined;
}

/** Shows a title wherever its session stands: in the list, above the conversation, and on the browser's tab. */
export function showTitle(sessionId: string, title: string): void {
  const retitled = <Listed extends { id: string }>(list: Listed[]) =>
    list.map((one) => (one.id === sessionId ? { ...one, title } : one));
  sessions.setState(({ sessions: listed, pinned }) => ({
    sessions: retitled(listed),
    pinned: retitled(pinned),
  }));
  if (conversation.getState().sessionId === sessionId) conversation.setState({ title });
}

/** Gives a session another title. */
export async function renameSession(id: string, title: string): Promise<void> {
  const renamed = await attempt(() => chat.renameSession(id, title));
  if (renamed) showTitle(id, title);
  await refreshSessions();
}

/** Pins a session to the top of the list, or unpins it. */
export async function togglePin({ id, pinned }: Session): Promise<void> {
  await attempt(() => chat.pinSession(id, !pinned));
  await refreshSessions();
}

/**
 * Hides a session at once. The request to delete it is sent when it can no longer be undone, or when the page is closed: until
 * then the server still has all of it.
 */
export function deleteSession({ id, title }: Pick<Session, "id" | "title">): void {
  sessions.setState((state) => ({ leaving: [...state.leaving, id] }));
  const restore = () =>
    sessions.setState((state) => ({ leaving: state.leaving.filter((other) => other !== id) }));
  const remove = async () => {
    await attempt(() => chat.deleteSession(id));
    await refreshSessions();
    restore();
  };
  offerUndo({
    text: t("deletedSession", { title }),
    undo: restore,
    settle(leaving) {
      if (leaving) void fetch(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true });
      else void remove();
    },
  });
}

/** Returns how many conversations wait for a decision. */
export function countWaiting({
  sessions: listed,
  pinned,
}: Pick<SessionsState, "sessions" | "pinned">): number {
  return new Set([...listed, ...pinned].filter(({ waiting }) => waiting).map(({ id }) => id)).size;
}
