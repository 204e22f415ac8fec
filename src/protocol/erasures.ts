export const ERASURE_KINDS = ["session", "account", "project", "memory"] as const;

/** Something that was deleted, by its id alone. */
export interface Erasure {
  kind: (typeof ERASURE_KINDS)[number];
  id: string;
}

/** What retention and deletion ask of the database. */
export interface Erasing {
  /** Deletes a session with its child runs, and the files and artifacts that no other session uses. */
  deleteSession(id: string): Promise<void>;
  /** Deletes everything of the user: sessions, runs, artifacts, files, usage, limits, settings. */
  deleteUser(userId: string): Promise<void>;
  /** Notes that a deletion has begun, so that it is completed after a crash. Deleting notes its end. */
  startErasure(erasure: Erasure): Promise<void>;
  /** Returns deletions that have begun and not ended. */
  unfinishedErasures(): Promise<Erasure[]>;
  /** Deletes at most `limit` sessions without an active run that nobody used for so long, or of the temporary ones alone. Returns them. */
  clearSessions(
    olderThanMs: number,
    limit: number,
    options?: { temporary: true },
  ): Promise<{ id: string; userId: string }[]>;
  /** Deletes at most `limit` files that are older, unless a session with an active run uses them. Returns how many. */
  clearFiles(olderThanMs: number, limit: number): Promise<number>;
}

/** What belongs to a person, and is deleted with them. */
export interface Owned {
  conversations: number;
  messages: number;
  artifacts: number;
  files: number;
  /** Of the files. */
  bytes: number;
  projects: number;
  /** Other people who share these projects. */
  members: number;
  /** Remembered lines. */
  memories: number;
  /** Shared links. */
  links: number;
}
