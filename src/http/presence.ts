import type { ServerResponse } from "node:http";

/** Who is being answered just now, so that somebody who is shut out loses what is open. */
export interface Presence {
  /** Counts an answer as the user's until its connection is done with it. */
  enter(userId: string, outgoing: ServerResponse): void;
  /** Takes an answer out, so that it can still be given. */
  leave(outgoing: ServerResponse): void;
  /** Cuts the connections of all answers to the user that are under way. */
  end(userId: string): void;
}

/** Remembers answers under way, by user. */
export function createPresence(): Presence {
  const underWay = new Map<string, Set<ServerResponse>>();

  function leave(outgoing: ServerResponse): void {
    for (const [userId, answers] of underWay) {
      if (answers.delete(outgoing) && answers.size === 0) underWay.delete(userId);
    }
  }

  return {
    leave,
    enter(userId, outgoing) {
      if (outgoing.destroyed) return;
      const answers = underWay.get(userId) ?? new Set();
      if (answers.has(outgoing)) return;
      underWay.set(userId, answers.add(outgoing));
      outgoing.once("close", () => {
        answers.delete(outgoing);
        if (answers.size === 0 && underWay.get(userId) === answers) underWay.delete(userId);
      });
    },
    end(userId) {
      for (const outgoing of underWay.get(userId) ?? []) outgoing.destroy();
      underWay.delete(userId);
    },
  };
}
