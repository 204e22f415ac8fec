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
