import type { Session } from "../../protocol/sessions.ts";
import { connection } from "../state/connection.ts";
import { PAGE } from "../state/conversation.ts";
import { reopenSession } from "../state/open-session.ts";
import { person, refreshAll } from "../state/person.ts";
import { sessions } from "../state/sessions.ts";
import { COPIES, copyShown, forgetCopies, untilForgotten } from "./kept-copies.ts";

/** How many conversations can be read offline. */
const KEPT = 20;
/** Changes that come together are copied at once. */
const TOGETHER_MS = 1_000;
/** Says which version of each conversation is copied. */
const INDEX = "/index";

let timer: ReturnType<typeof setTimeout> | undefined;
let working: Promise<void> = Promise.resolve();

/** Copies the newest conversations whenever they change, and shows the server's again when it can be reached again. */
export function watchCopies(): void {
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(copyUntilForgotten);
    }, TOGETHER_MS);
  };
  person.subscribe(soon);
  sessions.subscribe(soon);
  connection.subscribe(({ online, reachable }) => {
    if (!copyShown.yet || !online || !reachable) return;
    copyShown.yet = false;
    void refreshAll().then(reopenSession);
  });
  soon();
}

/** Copies until everything is copied, or the person signs out. */
async function copyUntilForgotten(): Promise<void> {
  const signal = untilForgotten();
  if (signal.aborted) return;
  try {
    await copyAll(signal);
  } catch (thrown) {
    if (!signal.aborted) console.warn("Copying for offline failed.", thrown);
  }
}

async function copyAll(signal: AbortSignal): Promise<void> {
  const { me, models, tools } = person.getState();
  const { online, reachable } = connection.getState();
  if (!me || !online || !reachable) return;
  const { sessions: listed, pinned, leaving, archived, loaded } = sessions.getState();
  if (!loaded) return;
  const name = `${COPIES}${me.id}`;
  await forgetCopies(name);
  const cache = await caches.open(name);
  const stays = ({ id }: Session) => !leaving.includes(id);
  const latest = newest([...listed, ...pinned].filter(stays));
  const answers = {
    "/me": me,
    "/v1/models": { data: models },
    "/tools": { tools },
    "/sessions": { sessions: latest, archived },
    "/sessions?pinned=true": { sessions: pinned.filter(stays) },
  };
  for (const [path, answer] of Object.entries(answers)) await keep(name, path, Response.json(answer));
  await copySessions(name, cache, latest, signal);
}

function newest(list: Session[]): Session[] {
  const unique = [...new Map(list.map((session) => [session.id, session])).values()];
  return unique.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, KEPT);
}

async function copySessions(
  name: string,
  cache: Cache,
  latest: readonly Session[],
  signal: AbortSignal,
): Promise<void> {
  const index = (await (await cache.match(INDEX))?.json()) as Record<string, string> | undefined;
  const copied: Record<string, string> = {};
  const paths = (id: string) => [`/sessions/${id}`, `/sessions/${id}/messages`] as const;
  const kept = new Set<string>(latest.flatMap(({ id }) => paths(id)));
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname.startsWith("/sessions/") && !kept.has(pathname)) await cache.delete(url);
  }
  for (const { id, updatedAt } of latest) {
    if (index?.[id] !== updatedAt) {
      const [session, messages] = paths(id);
      const answers = await Promise.all(
        [session, `${messages}?limit=${PAGE}`].map((path) => fetch(path, { signal })),
      );
      if (!answers.every(({ ok }) => ok)) continue;
      await Promise.all([keep(name, session, answers[0]), keep(name, messages, answers[1])]);
    }
    copied[id] = updatedAt;
    await keep(name, INDEX, Response.json(copied));
  }
}

/** Stores a copy unless the person has signed out meanwhile, here or in another tab. */
async function keep(name: string, path: string, answer: Response | undefined): Promise<void> {
  if (!answer || !(await caches.has(name))) return;
  await (await caches.open(name)).put(path, answer);
}
