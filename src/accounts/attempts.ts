import { createHash } from "node:crypto";
import { Failure } from "../protocol/failure.ts";
import type { Store } from "../protocol/store.ts";

/** The time within which attempts are counted. */
export const ATTEMPTS_WINDOW_MS = 15 * 60_000;
const ATTEMPTS_PER_ACCOUNT = 10;
const ATTEMPTS_PER_ADDRESS = 30;

/**
 * Counts one attempt for the address, and one for the address with this email address. Never for the email address alone:
 * that would let a stranger lock its owner out. A right password takes both back.
 */
export async function beginAttempt(store: Store, email: string, address: string) {
  // A hash, so that mistyped addresses are not collected.
  const account = createHash("sha256").update(`${address} ${email}`).digest("base64url");
  const subjects = [
    [`address ${address}`, ATTEMPTS_PER_ADDRESS],
    [`account ${account}`, ATTEMPTS_PER_ACCOUNT],
  ] as const;
  for (const [subject, limit] of subjects) await takeAttempt(store, subject, "sign-in", limit);
  return {
    async refund(): Promise<void> {
      for (const [subject] of subjects) await store.refundLimit(subject, "sign-in");
    },
  };
}

/** Counts one attempt. Throws RATE_LIMITED once there were too many within a quarter of an hour. */
export async function takeAttempt(store: Store, subject: string, name: string, limit: number): Promise<void> {
  const verdict = await store.takeLimit(subject, name, limit, ATTEMPTS_WINDOW_MS);
  if (verdict.allowed) return;
  const { retryAfter, resetAt, remaining } = verdict;
  const minutes = Math.ceil(retryAfter / 60);
  const sentence =
    minutes === 1
      ? "Too many attempts. Try again in a minute."
      : `Too many attempts. Try again in ${minutes} minutes.`;
  throw new Failure("RATE_LIMITED", sentence, {
    retryAfter,
    details: { limit, remaining, resetAt },
  });
}
