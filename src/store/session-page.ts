import { Failure } from "../protocol/failure.ts";

/** Parses the time that a page of sessions ends before. */
export function pageTime(time: string): Date {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new Failure("INVALID_INPUT", `"${time}" is not a time.`);
  return date;
}
