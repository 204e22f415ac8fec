import type { AlwaysCovers } from "./events.ts";

/** Something that a person said "always" to. */
export interface AlwaysApproval {
  id: string;
  /** The session in which it holds, and its title. */
  sessionId: string;
  title: string;
  covers: AlwaysCovers;
  at?: string;
}

export interface AlwaysApprovals {
  /** Newest first. */
  list(userId: string): Promise<AlwaysApproval[]>;
  /** Takes one back and returns it. Throws NOT_FOUND. */
  remove(userId: string, id: string): Promise<AlwaysApproval>;
}
