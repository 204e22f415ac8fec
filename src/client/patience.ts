import { backoffMs, waitFor } from "../protocol/backoff.ts";
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

/** Waits before a retry (1 is the first). Rejects with CANCELLED if the signal aborts first. */
export async function waitBefore(
  retry: number,
  { baseMs, maxMs }: Patience,
  signal: AbortSignal | undefined,
  retryAfter?: number,
): Promise<void> {
  const milliseconds = backoffMs(retry, { firstMs: baseMs, maxMs }, retryAfter);
  await waitFor(milliseconds, signal).catch((reason: unknown) => Promise.reject(stopped(reason)));
}
