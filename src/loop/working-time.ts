/** Measures how long a run has worked. The time in which it waits for a person does not count. */
export class WorkingTime {
  readonly #now: () => number;
  readonly #startedAt: number;
  #waitedMs = 0;
  #since: number | undefined;

  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Notes that the run begins or ends to wait. */
  waits(waiting: boolean): void {
    if (waiting) this.#since ??= this.#now();
    else if (this.#since !== undefined) {
      this.#waitedMs += this.#now() - this.#since;
      this.#since = undefined;
    }
  }

  get workedMs(): number {
    return (this.#since ?? this.#now()) - this.#startedAt - this.#waitedMs;
  }
}
