/** Long work that can stop after each `yield` and continue later. */
export type Steps<Result> = Generator<undefined, Result>;

/** How long work may hold the event loop before everybody else gets their turn. */
const SLICE_MS = 4;

/** When the slice of this turn of the event loop ends. All work shares it: many short pieces in one turn take long too. */
let sliceEnds: number | undefined;

/** Does the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the work in short slices, so that it never holds the event loop for long. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const paused = pauseIfLong();
    if (paused) await paused;
  }
}

/**
 * Returns undefined while this turn of the event loop has time left, and otherwise a promise for the next turn. The time counts
 * from the first call in the turn.
 */
export function pauseIfLong(): Promise<void> | undefined {
  if (sliceEnds === undefined) {
    sliceEnds = performance.now() + SLICE_MS;
    setImmediate(() => {
      sliceEnds = undefined;
    });
  }
  return performance.now() < sliceEnds ? undefined : new Promise((resolve) => setImmediate(resolve));
}
