/** Long work that can stop after each `yield` and go on later. */
export type Steps<Result> = Generator<undefined, Result>;

/** How long work may hold the event loop before everybody else gets their turn. */
const SLICE_MS = 4;

/** Does the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does the work in short slices, so that it never holds the event loop for long. */
export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let ends = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < ends) continue;
    await new Promise(setImmediate);
    ends = performance.now() + SLICE_MS;
  }
}
