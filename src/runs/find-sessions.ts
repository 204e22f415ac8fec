import type { Session, SessionPage } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";

export const SEARCH_LIMIT = 20;
/** The most that one search returns. */
export const MOST_FOUND = 50;

/** Returns the sessions in which a search finds something, the newest first. */
export async function findSessions(
  store: Pick<Store, "search" | "getSession">,
  userId: string,
  query: string,
  { limit, before, archived = false, pinned }: SessionPage & { limit: number },
): Promise<Session[]> {
  const { results } = await store.search(userId, { query, limit: MOST_FOUND });
  const ids = new Set(results.flatMap(({ sessionId }) => sessionId ?? []));
  const found = await Promise.all([...ids].map((id) => store.getSession(id)));
  return found
    .filter((session) => session !== undefined)
    .filter((session) => session.userId === userId && (session.archived ?? false) === archived)
    .filter((session) => !pinned || session.pinned)
    .filter(({ updatedAt }) => before === undefined || updatedAt < before)
    .sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
    .slice(0, limit);
}
