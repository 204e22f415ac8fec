import { create } from "zustand";
import type { Session } from "../../protocol/sessions.ts";
import { conversation } from "./conversation.ts";
import { attempt, notifyUnlessCutOff } from "./notices.ts";
import { ask, chat } from "./server.ts";

/** The number of sessions listed at first, and added with each page. */
const PAGE = 60;
const MAX_LISTED = 200;

interface SessionsState {
  sessions: Session[];
  pinned: Session[];
  /** Those in which the person has to decide or answer, wherever they are. */
  waiting: Session[];
  /** How often the list was loaded. */
  loads: number;
  /** There are older sessions than those listed. */
  more: boolean;
  loaded: boolean;
  /** None is listed, but there are some in projects. */
  onlyInProjects: boolean;
  /** How many are in the archive. */
  archived: number;
  /** Hidden now, and archived or deleted. */
  leaving: string[];
  /** Chosen to do something with all of them. */
  selected: string[];
}

/** The person's conversations. */
export const sessions = create<SessionsState>(() => ({
  sessions: [],
  pinned: [],
  waiting: [],
  loads: 0,
  more: false,
  loaded: false,
  onlyInProjects: false,
  archived: 0,
  leaving: [],
  selected: [],
}));

let requests = 0;

/** Loads the list again. Only the newest request counts. */
export async function refreshSessions({ quiet = false } = {}): Promise<void> {
  const own = ++requests;
  try {
    // As many as are listed already, so that nothing jumps.
    const limit = Math.min(Math.max(PAGE, sessions.getState().sessions.length), MAX_LISTED);
    const [{ sessions: found, archived, waiting = [] }, pinned] = await Promise.all([
      // Those of a project are listed on its page.
      ask<{ sessions: Session[]; archived: number; waiting?: Session[] }>(
        "GET",
        `/sessions?projectId=none&limit=${limit}`,
      ),
      chat.listSessions({ limit: MAX_LISTED, pinned: true }),
    ]);
    const isEmpty = found.length + pinned.length === 0;
    const onlyInProjects = isEmpty && (await chat.listSessions({ limit: 1 })).length > 0;
    if (own === requests)
      sessions.setState({
        sessions: found,
        onlyInProjects,
        pinned,
        waiting,
        archived,
        more: found.length === limit,
        loaded: true,
        loads: own,
      });
  } catch (error) {
    if (own === requests) sessions.setState({ loaded: true });
    if (!quiet) notifyUnlessCutOff(error);
  }
}

/** Loads the next page of older sessions. */
export async function loadOlderSessions(): Promise<void> {
  const own = requests;
  const { sessions: listed } = sessions.getState();
  const before = listed.at(-1)?.updatedAt;
  if (before === undefined) return;
  await attempt(async () => {
    const older = await chat.listSessions({ limit: PAGE, before, projectId: "none" });
    if (own === requests) sessions.setState({ sessions: [...listed, ...older], more: older.length === PAGE });
  });
}

/** Adds a conversation to those that are chosen, or takes it out. */
export function toggleSelected(id: string): void {
  sessions.setState(({ selected }) => ({
    selected: selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id],
  }));
}

/** Shows a title wherever its session stands: in the list, above the conversation, and on the browser's tab. */
export function showTitle(sessionId: string, title: string): void {
  const retitled = <Listed extends { id: string }>(list: Listed[]) =>
    list.map((one) => (one.id === sessionId ? { ...one, title } : one));
  sessions.setState(({ sessions: listed, pinned, waiting }) => ({
    sessions: retitled(listed),
    pinned: retitled(pinned),
    waiting: retitled(waiting),
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
export async function togglePin({ id, pinned }: Pick<Session, "id" | "pinned">): Promise<void> {
  await attempt(() => chat.pinSession(id, !pinned));
  await refreshSessions();
}

/** Returns how many conversations wait for a decision. */
export function countWaiting({ waiting }: Pick<SessionsState, "waiting">): number {
  return waiting.length;
}

const MAX_TITLE = 40;

/** Returns a title that fits into a sentence. */
export function shortTitle(title: string, most = MAX_TITLE): string {
  return title.length > most ? `${title.slice(0, most).trimEnd()}…` : title;
}
