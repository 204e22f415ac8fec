/** The public method for gateways: an answer of 64 frames, one every 20 ms. */
export const FRAMES = 64;
export const PACE_MS = 20;
/** A run fails if a reader waits longer than this for the next frame. */
export const LONGEST_GAP_MS = 10 * PACE_MS;

/** A request that readers send to a server. */
export interface Target {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Each of so many readers sends its requests one after the other. */
export interface Load {
  target: Target;
  atOnce: number;
  each: number;
}

/** What the readers of one run saw. */
export interface Seen {
  /** Milliseconds from each request to the first frame of its answer, in ascending order. */
  firstBytes: number[];
  /** Answers that lost frames, paused for too long, or were refused; and one of the reasons. */
  failed: number;
  reason?: string;
}
