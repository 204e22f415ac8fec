/** Fifty tokens a second. */
export const TOKEN_GAP_MS = 20;
/** Added latency that is still good, at the 99th percentile. */
export const GOOD_P99_MS = 50;
/** What a question says that wants its answer at once, and how long that is. */
export const BURST = "As fast as you can.";
export const BURST_TOKENS = 3_000;

/** What the readers saw in one stretch of time. */
export interface Seen {
  streams: number;
  tokens: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Streams that had less than nine tenths of their tokens. */
  slow: number;
  /** Streams that had none. */
  silent: number;
}

/** What became of streams that were asked for. */
export interface Opened {
  admitted: number;
  /** Refused with 503 and a Retry-After. */
  refused: number;
  /** Anything else: a bug here or there. */
  broken: number;
}
