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

/** Adds up the time of waits. Parallel waits count once. */
export class WaitClock {
  #waiting = 0;
  #since = 0;
  #waited = 0;

  readonly during: During = async (wait) => {
    if (this.#waiting++ === 0) this.#since = performance.now();
    try {
      return await wait();
    } finally {
      if (--this.#waiting === 0) this.#waited += performance.now() - this.#since;
    }
  };

  /** The milliseconds so far, including a wait that is not over. */
  waitedMs(): number {
    return this.#waited + (this.#waiting > 0 ? performance.now() - this.#since : 0);
  }
}
