import { stopped } from "./failure.ts";

/** How long a client keeps trying when the connection is lost. */
export interface Patience {
  /** Attempts in a row without a new event before it gives up. */
  attempts: number;
  baseMs: number;
  maxMs: number;
  /** A stream that is silent for longer is taken as lost: the server sends a sign of life every 15 seconds. */
  silenceMs: number;
}

export const PATIENCE: Patience = { attempts: 12, baseMs: 250, maxMs: 10_000, silenceMs: 45_000 };

/** The longest wait that a server may ask for before the person hears of it instead. */
export const LONGEST_RETRY_AFTER_SECONDS = 60;

/** Milliseconds before the given attempt (1 is the first): exponential, with the upper half left to chance. */
export function delayBefore(attempt: number, patience: Patience, retryAfter: number | undefined): number {
  const full = Math.min(patience.maxMs, patience.baseMs * 2 ** (attempt - 1));
  const jittered = full / 2 + (Math.random() * full) / 2;
  return Math.max(jittered, (retryAfter ?? 0) * 1000);
}

/** Waits, unless the signal aborts first: then it rejects with CANCELLED. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(stopped(signal.reason));
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    const onAbort = () => {
      clearTimeout(timer);
      reject(stopped(signal?.reason));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
