import { Failure } from "../protocol/failure.ts";

/** Counts who follows which run, so that one person cannot take all places by following one run many times. */
export interface Followers {
  /** Returns a function that ends it. Throws RATE_LIMITED. */
  enter(runId: string, whose: string): () => void;
  /** The same for the feed of a guest. Every request without credentials is another guest, so they are counted by IP address. */
  enterFeed(address: string): () => void;
}

/** More than the tabs and devices of a person. */
const MOST_OF_A_RUN = 20;
/** Beyond this many, followers of a run count as extra. A client that reconnects may not have left yet. */
const USUAL_OF_A_RUN = 2;
const MOST_EXTRA = 100;
const MOST_GUEST_FEEDS = 200;

/** Creates the count of this process. `whose` is a person, or an IP address: a guest can become another one at any time. */
export function createFollowers(): Followers {
  const ofRuns = new Map<string, number>();
  const extra = new Map<string, number>();
  const feeds = new Map<string, number>();
  return {
    enterFeed(address) {
      if ((feeds.get(address) ?? 0) >= MOST_GUEST_FEEDS) throw tooMany("this feed");
      add(feeds, address, 1);
      return () => add(feeds, address, -1);
    },
    enter(runId, whose) {
      const present = ofRuns.get(runId) ?? 0;
      const isExtra = present >= USUAL_OF_A_RUN;
      if (present >= MOST_OF_A_RUN || (isExtra && (extra.get(whose) ?? 0) >= MOST_EXTRA))
        throw tooMany("this run");
      add(ofRuns, runId, 1);
      if (isExtra) add(extra, whose, 1);
      return () => {
        add(ofRuns, runId, -1);
        if (isExtra) add(extra, whose, -1);
      };
    },
  };
}

/** There are too many connections to something. */
export function tooMany(what: string): Failure {
  const sentence = `There are too many open connections to ${what}. Close some of them first.`;
  return new Failure("RATE_LIMITED", sentence, { retryAfter: 30 });
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
