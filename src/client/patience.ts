import { backoffMs, waitFor } from "../protocol/abortable.ts";
import { stopped } from "./failure.ts";

/** How long a client keeps trying after the connection is lost. */
export interface Patience {
  /** Attempts without a new event before it gives up. */
  attempts: number;
  baseMs: number;
  maxMs: number;
  /** A stream that is silent for longer counts as lost: the server sends a heartbeat every 15 seconds. */
  silenceMs: number;
  /** The shortest time between two reads of a stream: what arrives meanwhile is read in one piece, which costs less than each token. */
  paceMs: number;
}

export const PATIENCE: Patience = { attempts: 12, baseMs: 250, maxMs: 10_000, silenceMs: 45_000, paceMs: 0 };

/** If the server asks to wait longer, the failure is reported instead. */
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
