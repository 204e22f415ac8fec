/** What one commit took of the process, and how busy the process was since the one before. */
export interface MeasuredCommit {
  busyMs: number;
  /** Between 0 and 1. */
  load: number;
}

/** Deltas wait longer once commits take this share of the process's time, up to the usual time between two tokens. */
const MAX_WINDOW_MS = 20;
const BUSY_SHARE = 0.3;
/** How many recent commits are compared. The shortest counts, so that one slow commit has no effect. */
const RECENT = 4;
/**
 * Commits of an engine over the network take no time of the process themselves, but all that comes with them does: rows,
 * notifications, frames. So deltas wait longer as the process gets busy, and nearly two tokens share a row when it is full.
 */
const MAX_SHARED_WINDOW_MS = 32;
const BUSY = { from: 0.5, full: 0.9 };
/** How much the newest commit counts. */
const FRESH = 0.1;

/** How long deltas wait to be committed together: longer where commits keep the process busy. */
export class CommitWindow {
  ms: number;
  readonly #leastMs: number;
  readonly #isEmbedded: boolean;
  #recent = [0];
  #load = 0;

  constructor(leastMs: number, engine: "embedded" | "shared") {
    this.ms = leastMs;
    this.#leastMs = leastMs;
    this.#isEmbedded = engine === "embedded";
  }

  /** Adapts it after a commit. */
  adapt({ busyMs, load }: MeasuredCommit): void {
    this.#recent = [...this.#recent.slice(1 - RECENT), busyMs];
    this.#load += (load - this.#load) * FRESH;
    const full = Math.min(1, Math.max(0, (this.#load - BUSY.from) / (BUSY.full - BUSY.from)));
    const wanted = this.#isEmbedded
      ? Math.min(Math.min(...this.#recent) / BUSY_SHARE, MAX_WINDOW_MS)
      : full * MAX_SHARED_WINDOW_MS;
    this.ms = Math.max(this.#leastMs, wanted);
  }
}
