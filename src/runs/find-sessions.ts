import type { SearchHit } from "../protocol/search.ts";
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
  { limit, before, archived = false, pinned, projectId }: SessionPage & { limit: number },
): Promise<Session[]> {
  const { results } = await store.search(userId, { query, limit: MOST_FOUND });
  const ids = new Set(results.flatMap(({ sessionId }) => sessionId ?? []));
  const found = await Promise.all([...ids].map((id) => store.getSession(id)));
  return found
    .filter((session) => session !== undefined)
    .filter((session) => session.userId === userId && (session.archived ?? false) === archived)
    .filter((session) => !pinned || session.pinned)
    .filter((session) => projectId === undefined || (session.projectId ?? "none") === projectId)
    .filter(({ updatedAt }) => before === undefined || updatedAt < before)
    .sort((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
    .slice(0, limit);
}

/** Adds to what was found the projects that its sessions are in. */
export async function withProjects(
  store: Pick<Store, "projectsOfSessions">,
  userId: string,
  hits: readonly SearchHit[],
): Promise<SearchHit[]> {
  const ids = [...new Set(hits.flatMap(({ sessionId }) => sessionId ?? []))];
  if (ids.length === 0) return [...hits];
  const projects = await store.projectsOfSessions(userId, ids);
  const bySession = new Map(
    projects.map(({ sessionId, projectId, name }) => [sessionId, { id: projectId, name }]),
  );
  return hits.map((hit) => {
    const project = bySession.get(hit.sessionId ?? "");
    return project ? { ...hit, project } : hit;
  });
}
