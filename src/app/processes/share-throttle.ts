import type { CountedThrottle } from "../../guard/allowances.ts";
import type { Throttle } from "../../protocol/limits.ts";
import type { Peers } from "./peers.ts";

/** How long counts wait to be told together. The limit may be exceeded by what comes in this time. */
const TELL_MS = 50;

/** Makes one limit of those of all processes: each counts what the others have let through. */
export function shareThrottle(throttle: CountedThrottle, peers: Pick<Peers, "tell" | "onNote">): Throttle {
  let count = 0;
  peers.onNote((note) => {
    if (note.kind === "throttled") throttle.count(note.count);
  });
  const tell = () => {
    peers.tell({ kind: "throttled", count });
    count = 0;
  };
  return {
    take() {
      const verdict = throttle.take();
      if (verdict.allowed && count++ === 0) setTimeout(tell, TELL_MS).unref();
      return verdict;
    },
  };
}
