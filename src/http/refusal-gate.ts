const WINDOW_MS = 60_000;
const MOST_OF_ONE = 20;
const MOST_OF_ALL = 600;

/** Decides how many refusals are logged, so that a stranger cannot fill the disk. */
export interface RefusalGate {
  /** Undefined if there were too many in this minute, otherwise how many were not logged in the minute before. */
  take(subject: string): number | undefined;
}

/** Creates a gate that lets through some refusals of each address and kind in a minute. */
export function createRefusalGate(now: () => number = () => performance.now()): RefusalGate {
  let counts = new Map<string, number>();
  let all = 0;
  let unlogged = 0;
  let until = 0;
  return {
    take(subject) {
      if (now() >= until) {
        counts = new Map();
        all = 0;
        until = now() + WINDOW_MS;
      }
      const count = counts.get(subject) ?? 0;
      if (count >= MOST_OF_ONE || all >= MOST_OF_ALL) {
        unlogged += 1;
        return undefined;
      }
      counts.set(subject, count + 1);
      all += 1;
      const missed = unlogged;
      unlogged = 0;
      return missed;
    },
  };
}
