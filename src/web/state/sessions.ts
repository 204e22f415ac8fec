import { create } from "zustand";
import type { Session } from "../../protocol/store.ts";
import { t } from "../text/t.ts";
import { notify, notifyFailure } from "./notices.ts";
import { chat } from "./server.ts";

const UNDO_MS = 6_500;
/** How many sessions are listed at first, and how many come with each look further back. */
const PAGE = 60;
const MOST = 200;
const REFRESH_MS = 15_000;

interface SessionsState {
  sessions: Session[];
  /** Those with a pin, however long ago something was said in them. */
  pinned: Session[];
  /** There are older ones than those listed. */
  more: boolean;
  query: string;
  loaded: boolean;
  /** Hidden, and gone for good when the time for taking it back is over. */
  leaving: string[];
}

/** The conversations of this person. */
export const sessions = create<SessionsState>(() => ({
  sessions: [],
  pinned: [],
  more: false,
  query: "",
  loaded: false,
  leaving: [],
}));

let asked = 0;

/** Reads the list again; only the newest question is listened to. */
export async function refreshSessions({ quiet = false } = {}): Promise<void> {
  const own = ++asked;
  const query = sessions.getState().query.trim();
  try {
    // As many as are listed already, so that nothing jumps.
    const limit = Math.min(Math.max(PAGE, sessions.getState().sessions.length), MOST);
    const [found, pinned] = await Promise.all([
      chat.listSessions({ limit, ...(query === "" ? {} : { query }) }),
      query === "" ? chat.listSessions({ limit: MOST, pinned: true }) : [],
    ]);
    if (own === asked)
      sessions.setState({ sessions: found, pinned, more: found.length === limit, loaded: true });
  } catch (error) {
    if (own === asked) sessions.setState({ loaded: true });
    if (!quiet) notifyFailure(error);
  }
}

/** Looks again every now and then: what began or waits elsewhere is seen here too. */
export function watchSessions(): void {
  setInterval(() => {
    if (!document.hidden) void refreshSessions({ quiet: true });
  }, REFRESH_MS);
}

/** Lists those behind the last one that is listed. */
export async function loadOlderSessions(): Promise<void> {
  const own = asked;
  const { sessions: listed, query } = sessions.getState();
  const before = listed.at(-1)?.updatedAt;
  if (before === undefined) return;
  try {
    const words = query.trim();
    const older = await chat.listSessions({ limit: PAGE, before, ...(words === "" ? {} : { query: words }) });
    if (own === asked) sessions.setState({ sessions: [...listed, ...older], more: older.length === PAGE });
  } catch (error) {
    notifyFailure(error);
  }
}

/** Looks for a text in titles and contents. */
export function searchSessions(query: string): void {
  sessions.setState({ query });
  void refreshSessions();
}

export async function renameSession(id: string, title: string): Promise<void> {
  try {
    await chat.renameSession(id, title);
  } catch (error) {
    notifyFailure(error);
  }
  await refreshSessions();
}

/** Pins it to the top of the list, or takes the pin away. */
export async function togglePin({ id, pinned }: Session): Promise<void> {
  try {
    await chat.pinSession(id, !pinned);
  } catch (error) {
    notifyFailure(error);
  }
  await refreshSessions();
}

const leaving = new Map<string, ReturnType<typeof setTimeout>>();

/** Hides a session at once and deletes it a little later, so that it can be taken back. */
export function deleteSession(id: string): void {
  sessions.setState((state) => ({ leaving: [...state.leaving, id] }));
  const stay = () => {
    clearTimeout(leaving.get(id));
    leaving.delete(id);
    sessions.setState((state) => ({ leaving: state.leaving.filter((other) => other !== id) }));
  };
  const leave = () => {
    leaving.delete(id);
    chat
      .deleteSession(id)
      .catch(notifyFailure)
      .finally(() => refreshSessions().then(stay));
  };
  leaving.set(id, setTimeout(leave, UNDO_MS));
  notify({ text: t("sessionDeleted"), action: { label: t("undo"), run: stay } });
}

/** What was deleted stays deleted, also when the page is closed before the time is over. */
export function finishDeletionsOnLeave(): void {
  addEventListener("pagehide", () => {
    for (const id of leaving.keys())
      void fetch(`/sessions/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true });
  });
}
