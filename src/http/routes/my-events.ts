import { Failure } from "../../protocol/failure.ts";
import type { Feed } from "../../protocol/journal.ts";
import { acceptCaller, addressOf, credentialsOf, identify } from "../caller.ts";
import { type HttpContext, type Route, route, type ServerState } from "../context.ts";
import { answerWithStream } from "../follow.ts";
import { tooMany } from "../followers.ts";
import { readAfter } from "../query.ts";
import { frames } from "../sse.ts";

/** Open feeds of one account in this process. */
const MOST_FEEDS = 20;
/** How often the credentials of an open feed are checked. */
const CHECK_MS = 15_000;

/** The caller's own feed: what happens in all sessions. */
export function myEventRoutes(): Route[] {
  return [route("GET /me/events", getEvents)];
}

async function getEvents(c: HttpContext): Promise<Response> {
  const server = c.get("server");
  const after = readAfter(c);
  const caller = await identify(c);
  const { id, kind } = acceptCaller(c, caller);
  const { accountFeed } = server.deps;
  if (!accountFeed) throw new Failure("NOT_FOUND", "This server has no feed.");
  if ((server.feeds.get(id)?.size ?? 0) >= MOST_FEEDS) throw tooMany("this feed");
  const end = kind === "guest" ? server.followers.enterFeed(addressOf(c)) : () => {};
  const isSignedIn = signedIn(c, server, caller);
  const feed: Feed = {
    async follow(userId, last, onEvents, signal) {
      const over = new AbortController();
      const leave = enter(server, userId, async () => {
        if (!(await isSignedIn())) over.abort();
      });
      // The stream starts with 0, so that it does not take the first frame for an event that was sent before.
      const from = last === 0 ? after : last;
      await accountFeed.follow(userId, from, onEvents, AbortSignal.any([signal, over.signal])).finally(leave);
    },
  };
  const encoder = { encode: frames, end: () => ": you are no longer signed in\n\n" };
  return answerWithStream(c, { runId: id, after: 0, kind: "new", feed, encoder }).finally(end);
}

/** Returns a function that tells whether the request's credentials are still good. */
function signedIn(
  c: HttpContext,
  { deps }: ServerState,
  { principal, guestToken }: Awaited<ReturnType<typeof identify>>,
): () => Promise<boolean> {
  const credentials = credentialsOf(c);
  return async () => {
    try {
      await deps.admit?.(principal);
      if (guestToken !== undefined) return true;
      return (await deps.identity.identify(credentials)).principal.id === principal.id;
    } catch (thrown) {
      // If it cannot be checked now, the next check finds out.
      return !(thrown instanceof Failure && (thrown.code === "UNAUTHORIZED" || thrown.code === "FORBIDDEN"));
    }
  };
}

/** Counts an open feed and has it checked from time to time. Returns a function that ends both. */
function enter({ feeds }: ServerState, userId: string, check: () => Promise<void>): () => void {
  const open = feeds.get(userId) ?? new Set();
  feeds.set(userId, open.add(check));
  const timer = setInterval(() => void check(), CHECK_MS);
  return () => {
    clearInterval(timer);
    open.delete(check);
    if (open.size === 0 && feeds.get(userId) === open) feeds.delete(userId);
  };
}

/** Ends the feeds of an account whose credentials are no longer good. */
export async function checkFeeds({ feeds }: ServerState, userId: string): Promise<void> {
  await Promise.all([...(feeds.get(userId) ?? [])].map((check) => check()));
}
