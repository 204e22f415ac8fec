/** Tells the time that a request takes itself from the time in which it waits for others. */
export interface RequestWaits {
  /** Measures a request, together with all work that it starts. */
  measure<Result>(request: () => Result): Result;
  /** Counts the time of a wait for a model, a tool, a person or the client. Has no effect outside of a request. */
  during: During;
  /** The milliseconds that the current request has waited so far. */
  waitedMs(): number;
}

/** Waits for something, and counts the time. */
export type During = <Result>(wait: () => Promise<Result>) => Promise<Result>;
