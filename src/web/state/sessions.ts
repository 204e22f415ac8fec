import { create } from "zustand";
import type { Session } from "../../protocol/store.ts";
import { t } from "../text/t.ts";
import { notify, notifyFailure } from "./notices.ts";
import { prefer, preferences } from "./preferences.ts";
import { chat } from "./server.ts";

const UNDO_MS = 6_500;

interface SessionsState {
  sessions: Session[];
  query: string;
  loaded: boolean;
  /** Hidden, and gone for good when the time for taking it back is over. */
  leaving: string[];
}

/** The conversations of this person. */
export const sessions = create<SessionsState>(() => ({
  sessions: [],
  query: "",
  loaded: false,
  leaving: [],
}));

let asked = 0;

/** Reads the list again; only the newest question is listened to. */
export async function refreshSessions(): Promise<void> {
  const own = ++asked;
  const query = sessions.getState().query.trim();
  try {
    const found = await chat.listSessions({ limit: 200, ...(query === "" ? {} : { query }) });
    if (own === asked) sessions.setState({ sessions: found, loaded: true });
  } catch (error) {
    if (own === asked) sessions.setState({ loaded: true });
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
export function togglePin(id: string): void {
  const { pinned } = preferences.getState();
  prefer({ pinned: pinned.includes(id) ? pinned.filter((other) => other !== id) : [...pinned, id] });
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
