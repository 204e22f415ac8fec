import { Failure } from "../protocol/failure.ts";
import type { RequestLimits } from "../protocol/limits.ts";
import type { HttpContext } from "./context.ts";

/** Limits what the guests at one IP address send to be stored. */
export interface GuestTraffic {
  /** Counts a request. Throws RATE_LIMITED. */
  take(address: string, bytes: number): void;
}

export type GuestTrafficLimits = Pick<RequestLimits, "windowMinutes" | "guestMegabytes">;

const DEFAULTS: GuestTrafficLimits = { windowMinutes: 300, guestMegabytes: 500 };
/** What is forgotten first are the addresses that have been quiet for the longest time. */
const MOST_ADDRESSES = 10_000;
/** The largest body of a guest, which a request without a length may turn out to have. */
const LARGEST_BODY = 512_000;
/** These store a copy of something, however short the request is. */
const COPYING = /\/(?:fork|continue|restore)$/;
/** Uploads have limits of their own. */
const UPLOADING = /\/files$/;

/**
 * Creates the limit. Everything of a guest is bounded, but anybody can become a new guest with the next request, and so fill the
 * disk. It is counted in memory, so a restart begins at zero, and each process counts for itself.
 */
export function createGuestTraffic(
  { windowMinutes, guestMegabytes }: GuestTrafficLimits = DEFAULTS,
  now: () => number = () => performance.now(),
): GuestTraffic {
  const windows = new Map<string, { bytes: number; until: number }>();
  return {
    take(address, bytes) {
      const time = now();
      const known = windows.get(address);
      const window = known && known.until > time ? known : { bytes: 0, until: time + windowMinutes * 60_000 };
      windows.delete(address);
      windows.set(address, window);
      const [oldest] = windows.keys();
      if (windows.size > MOST_ADDRESSES && oldest !== undefined) windows.delete(oldest);
      if (window.bytes + bytes > guestMegabytes * 1_000_000) {
        const sentence =
          "Guests at your IP address have sent all that they may for now. Sign in, or try later.";
        throw new Failure("RATE_LIMITED", sentence, { retryAfter: Math.ceil((window.until - time) / 1_000) });
      }
      window.bytes += bytes;
    },
  };
}

/** How many bytes a request may add to what is stored. */
export function storedBytesOf(c: HttpContext): number {
  const { method } = c.req;
  const route = c.get("route");
  if (method === "GET" || method === "HEAD" || UPLOADING.test(route)) return 0;
  const length = c.req.header("content-length");
  const isSized = length !== undefined || c.req.header("transfer-encoding") === undefined;
  const sent = isSized ? Number(length ?? 0) : LARGEST_BODY;
  return Math.min(sent, LARGEST_BODY) + (COPYING.test(route) ? LARGEST_BODY : 0);
}
