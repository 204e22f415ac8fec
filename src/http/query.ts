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
