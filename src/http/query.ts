import { Failure } from "../protocol/failure.ts";
import type { HttpContext } from "./context.ts";

/** Reads a whole number from the query. Throws INVALID_INPUT. */
export function readNumber(
  c: HttpContext,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const text = c.req.query(name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Failure("INVALID_INPUT", `${name} must be a number from ${least} to ${most}.`);
}

/** Returns the number of the last event that the client has, or 0. Throws INVALID_INPUT. */
export function readAfter(c: HttpContext): number {
  const text = c.req.header("last-event-id") || c.req.query("after") || "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Failure("INVALID_INPUT", "Last-Event-ID and after must be the number of an event.");
}
