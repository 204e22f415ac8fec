/** Fifty tokens a second. */
export const TOKEN_GAP_MS = 20;
/** The limit for added latency at the 99th percentile. */
export const GOOD_P99_MS = 50;
/** The message that requests an answer at full speed, and the length of that answer. */
export const BURST = "As fast as you can.";
export const BURST_TOKENS = 3_000;

/** What the readers saw in one period. */
export interface Seen {
  streams: number;
  tokens: number;
  seconds: number;
  p50: number;
  p99: number;
  /** Streams that got less than 90 % of their tokens. */
  slow: number;
  /** Streams that got none. */
  silent: number;
}

/** A crowd is admitted within this time. */
export const SOON_MS = 2_000;

/** What became of the requested streams. */
export interface Opened {
  admitted: number;
  /** The admitted whose answer began soon. */
  soon: number;
  /** Refused with 503 and a Retry-After. */
  refused: number;
  /** Anything else, which is a bug. */
  broken: number;
  /** The different values of Retry-After, in seconds. */
  waits: number[];
  /** How long it took until each had an answer. */
  answeredMs: number;
}
