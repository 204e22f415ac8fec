// Waits and attempts that a signal, or a limit of time, can end.

/** How the waits between attempts grow. */
export interface Backoff {
  firstMs: number;
  /** No wait is longer than this, unless the other side asks for it. */
  maxMs?: number;
  random?(): number;
}

/** Added to a wait that the other side asks for, so that not everybody comes back at the same moment. */
const RETRY_AFTER_JITTER_MS = 250;

/**
 * Returns how long to wait before a retry (1 is the first). The wait doubles each time, and up to half of it is random.
 * `retryAfter` is what the other side asks for, in seconds; the wait is never shorter.
 */
export function backoffMs(
  retry: number,
  { firstMs, maxMs = Number.POSITIVE_INFINITY, random = Math.random }: Backoff,
  retryAfter?: number,
): number {
  const chance = random();
  const wait = Math.min(firstMs * 2 ** (retry - 1), maxMs) * (0.5 + chance / 2);
  if (retryAfter === undefined) return wait;
  return Math.max(wait, retryAfter * 1_000 + chance * RETRY_AFTER_JITTER_MS);
}

/** Reads the seconds of a Retry-After header, which may also be a date. Undefined for anything else. */
export function retryAfterIn(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/**
 * Runs `attempt` until it succeeds. `waitBefore` returns the wait before the next attempt, and throws or returns undefined
 * if another attempt would not help. Rejects with the signal's reason if that aborts a wait.
 */
export async function retrying<Result>(
  attempt: (retries: number) => Promise<Result>,
  waitBefore: (thrown: unknown, retry: number) => number | undefined,
  signal?: AbortSignal,
): Promise<Result> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(retries);
    } catch (thrown) {
      const wait = waitBefore(thrown, retries + 1);
      if (wait === undefined) throw thrown;
      await waitFor(wait, signal);
    }
  }
}

/** Waits. Rejects with the signal's reason as soon as it aborts. */
export function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Waits for a promise that cannot be canceled itself. Rejects with the signal's reason as soon as it aborts. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Waits until a promise settles, but not longer than this. Returns false when the time is over. Never throws. */
export async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/**
 * Aborts a controller with the first of these signals, and returns a function that ends that. Unlike `AbortSignal.any` it keeps no
 * weak references, which cost several times as much: call the function if a signal outlives the controller.
 */
export function abortWith(controller: AbortController, ...signals: readonly AbortSignal[]): () => void {
  const abort = ({ target }: Pick<Event, "target">) =>
    controller.abort(target instanceof AbortSignal ? target.reason : undefined);
  const aborted = signals.find((signal) => signal.aborted);
  if (aborted) controller.abort(aborted.reason);
  else for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
  return () => {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  };
}
