import { Failure } from "../protocol/failure.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Project } from "../protocol/projects.ts";
import { isSessionName } from "../protocol/requests.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Session } from "../protocol/sessions.ts";
import type { Store } from "../protocol/store.ts";

/**
 * The session with an id, if it is this person's, or with a name that this person made up. Throws NOT_FOUND or FORBIDDEN.
 */
export async function ownSession(
  store: Pick<Store, "getSession" | "namedSession">,
  principal: Principal,
  id: string,
): Promise<Session> {
  const session = await findSession(store, principal, id);
  if (!session) throw new Failure("NOT_FOUND", "There is no such session.");
  return session;
}

/** The same, but undefined for a name that has not been used yet. */
export async function findSession(
  store: Pick<Store, "getSession" | "namedSession">,
  principal: Principal,
  id: string,
): Promise<Session | undefined> {
  if (isSessionName(id)) return store.namedSession(principal.id, id);
  const session = await store.getSession(id);
  if (!session) throw new Failure("NOT_FOUND", "There is no such session.");
  if (session.userId !== principal.id)
    throw new Failure("FORBIDDEN", "This session belongs to somebody else.");
  return session;
}

/** The run, if it is this person's. Undefined if it does not exist or belongs to somebody else. */
export async function findOwnRun(
  store: Pick<Store, "getRun">,
  principal: Principal,
  id: string,
): Promise<Run | undefined> {
  const run = await store.getRun(id);
  return run?.userId === principal.id ? run : undefined;
}

/** The run, if it is this person's. Throws NOT_FOUND or FORBIDDEN. */
export async function ownRun(store: Pick<Store, "getRun">, principal: Principal, id: string): Promise<Run> {
  const run = await store.getRun(id);
  if (!run) throw new Failure("NOT_FOUND", "There is no such run.");
  if (run.userId !== principal.id) throw new Failure("FORBIDDEN", "This run belongs to somebody else.");
  return run;
}

/** Returns a project that a person may use. Throws NOT_FOUND or FORBIDDEN. */
export async function accessible(
  store: Pick<Store, "getProject">,
  userId: string,
  id: string,
): Promise<Project> {
  const project = await store.getProject(id, userId);
  if (!project) throw new Failure("NOT_FOUND", "There is no such project.");
  const { access } = project;
  if (access) return { ...project, access };
  throw new Failure("FORBIDDEN", "This project belongs to somebody else.");
}
