import type { ServerResponse } from "node:http";

/** Open responses by user, so that a suspended user is disconnected. */
export interface Presence {
  /** Adds a response until its connection closes. */
  enter(userId: string, outgoing: ServerResponse): void;
  /** Removes a response, so that it can still be sent. */
  leave(outgoing: ServerResponse): void;
  /** Closes all connections of the user. */
  end(userId: string): void;
}

/** Creates the record of open responses. */
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
