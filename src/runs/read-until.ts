export interface Reading {
  signal: AbortSignal;
  /** The deadline, by the monotonic clock. */
  until?: number;
  /** How long to wait for a wake-up before reading again. */
  longestWaitMs?: number;
}

/** Wake-ups between instances can be lost, so the store is read again this often. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Reads until there is a result: at once, after each wake-up, and every few seconds in any case. Resolves with undefined at the
 * deadline or on abort. A wake-up during a read leads to another read.
 */
export async function readUntil<Result>(
  subscribe: (wake: () => void) => () => void,
  read: () => Promise<Result | undefined>,
  { signal, until = Number.POSITIVE_INFINITY, longestWaitMs = LONGEST_WAIT_MS }: Reading,
): Promise<Result | undefined> {
  let wake = () => {};
  const unsubscribe = subscribe(() => wake());
  try {
    while (!signal.aborted) {
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      const result = await read();
      if (result !== undefined) return result;
      const left = until - performance.now();
      // An abort that came during the read does not fire again. Without a valid deadline there is nothing to wait for.
      if (!(left > 0) || signal.aborted) return undefined;
      const timer = setTimeout(wake, Math.min(left, longestWaitMs));
      signal.addEventListener("abort", wake);
      await woken.promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
    }
    return undefined;
  } finally {
    unsubscribe();
  }
}
